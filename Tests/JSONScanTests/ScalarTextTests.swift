import Foundation
import JSONScan
import TestSupport
import Testing

/// The spelling of scalars decides whether a signature is right: one digit lost is a refused call.
@Suite struct ScalarTextTests {
    /// The text of a scalar; throws what the scanner throws.
    private static func text(_ literal: String) throws -> String? {
        let scanner = try JSONScanner(validating: Array(literal.utf8))
        return try scanner.scalarText(of: #require(scanner.root))
    }

    @Test(arguments: [
        ("50", "50"), ("0", "0"), ("-7", "-7"), ("1.0", "1"), ("1.50", "1.5"), ("1e-7", "0.0000001"), ("1E3", "1000"),
        ("1.25e1", "12.5"), ("1.25e2", "125"), ("12500e-2", "125"), ("-1.5e-3", "-0.0015"), ("1e+2", "100"),
        ("0.1", "0.1"), ("0.30000000000000004", "0.30000000000000004"), ("100", "100"), ("1e0", "1"), ("0e5", "0"),
        ("-0", "0"), ("-0.0", "0"), ("0E-400", "0"), ("0e99999999999999999999", "0"), ("1e007", "10000000"),
        ("12345678901234567890123456789012345678901", "12345678901234567890123456789012345678901"),
        ("9007199254740993", "9007199254740993"), ("3.1415926535897932384626", "3.1415926535897932384626"),
        ("true", "true"), ("false", "false"),
    ])
    func knownText(literal: String, text: String) throws {
        #expect(try Self.text(literal) == text)
    }

    @Test(arguments: ["null", "[1]", #"{"a":1}"#])
    func whatIsNoScalarHasNone(literal: String) throws {
        #expect(try Self.text(literal) == nil)
    }

    @Test(arguments: [
        (#""""#, ""), (#""a\u0026b""#, "a&b"), (#""\u4f60\u597D""#, "你好"), (#""\ud83d\uDE00""#, "\u{1F600}"),
        (#""\"\\\/\n""#, "\"\\/\n"), ("\"\u{1F600}\"", "\u{1F600}"), (#""1.0""#, "1.0"), (#""\u0000""#, "\u{0}"),
    ])
    func aStringIsItsCharacters(literal: String, text: String) throws {
        #expect(try Self.text(literal) == text)
    }

    @Test(arguments: [#""\ud83d""#, #""\ude00\ud83d""#, #""a\udc00b""#])
    func halfASurrogatePairIsRefused(literal: String) {
        let error = #expect(throws: JSONScanError.self) { try Self.text(literal) }
        #expect(error?.reason == .loneSurrogate)
    }

    @Test(arguments: ["1E400", "1e-400", "-1e400", "1e999999999999", "1e-9223372036854775808", "1e9223372036854775807"])
    func anAbsurdExponentIsRefused(literal: String) {
        let error = #expect(throws: JSONScanError.self) { try Self.text(literal) }
        #expect(error?.reason == .exponentTooLarge)
    }

    @Test func everyNumberOfSixtyFourBitsIsTaken() throws {
        #expect(try Self.text("1.7976931348623157e308")?.count == 309)
        #expect(try Self.text("5e-324")?.count == 326)
    }

    @Test func membersKeepTheirOrderAndLoseWhatIsNoScalar() throws {
        let json = #"{"z":1e1,"a":null,"b\u0062":"","l":[1],"o":{"a":1},"t":true}"#
        let scanner = try JSONScanner(validating: Array(json.utf8))
        let members = try scanner.scalarMembers(of: #require(scanner.root))
        #expect(members.map(\.name) == ["z", "bb", "t"])
        #expect(members.map(\.value) == ["10", "", "true"])
    }

    @Test func aNameThatIsNoTextIsRefused() throws {
        let scanner = try JSONScanner(validating: Array(#"{"a\ud800":1}"#.utf8))
        let root = try #require(scanner.root)
        let error = #expect(throws: JSONScanError.self) { try scanner.scalarMembers(of: root) }
        #expect(error?.reason == .loneSurrogate && error?.offset == 1)
    }

    @Test(arguments: [(0, nil), (1, "a"), (5, "a"), (9, "b"), (13, "b"), (14, nil)] as [(Int, String?)])
    func theMemberAtAnOffset(offset: Int, name: String?) {
        #expect(JSONScanner(Array(#"{"a":12, "b":3}"#.utf8)).memberName(at: offset) == name)
    }

    /// Python's decimals are exact and of any size, and share no line with ours.
    private static let witness = """
        import sys
        from decimal import Decimal
        for line in sys.stdin:
            text = format(Decimal(line.strip()), "f")
            if "." in text:
                text = text.rstrip("0").rstrip(".")
            print("0" if text.strip("-0") == "" else text)
        """

    @Test(.enabled(if: PythonWitnessTests.isPythonThere, "no /usr/bin/python3"))
    func pythonsDecimalsAgree() async throws {
        var generator = SeededGenerator(seed: 7)
        func digits(_ most: Int) -> String {
            (0..<Int.random(in: 1...most, using: &generator)).map { _ in
                String(["0", "0", "1", "5", "9"].randomElement(using: &generator) ?? "0")
            }.joined()
        }
        let literals = (0..<3_000).map { _ -> String in
            let whole = digits(24)
            var text = Bool.random(using: &generator) ? "-" : ""
            text += whole.hasPrefix("0") ? "0" : whole
            if Bool.random(using: &generator) { text += "." + digits(24) }
            if Bool.random(using: &generator) {
                let sign = ["", "+", "-"].randomElement(using: &generator) ?? ""
                text += "e" + sign + String(Int.random(in: 0...320, using: &generator))
            }
            return text
        }
        let (status, output) = try await ChildProcess.run(
            URL(fileURLWithPath: "/usr/bin/python3"),
            ["-c", Self.witness],
            input: Array(literals.map { $0 + "\n" }.joined().utf8)
        )
        try #require(status == 0, "\(output)")
        let expected = output.split(separator: "\n").map(String.init)
        try #require(expected.count == literals.count)
        for (literal, text) in zip(literals, expected) {
            #expect(try Self.text(literal) == text, "\(literal)")
        }
    }
}
