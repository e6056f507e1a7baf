import JSONScan
import Testing

extension JSONScanner {
    /// The outermost value; fails the test when there is none.
    func whole() throws -> JSONValueRange {
        try #require(self.root)
    }

    /// The value that a path leads to; fails the test when there is none.
    func found(_ path: String...) throws -> JSONValueRange {
        try #require(self.value(at: path), "\(path)")
    }
}

@Suite struct JSONScannerTests {
    static let answer = """
        {"recordId": "eval_1", "eof":1, "result":{"overall":88.50,"words":[{"overall":1},{"overall":2}],"note":"}\\"]"},
         "result2":{"overall":3}, "c\\u006fde":40001, "code":2, "nothing":null, "yes":true, "no":false}
        """

    /// The same text behind each way to make a scanner.
    static func scanners(_ text: String) throws -> [JSONScanner] {
        let bytes = Array(text.utf8)
        return [JSONScanner(bytes), try JSONScanner(validating: bytes)]
    }

    @Test(arguments: [
        (["recordId"], #""eval_1""#), (["eof"], "1"), (["result", "overall"], "88.50"), (["result2", "overall"], "3"),
        (["code"], "40001"), (["nothing"], "null"), (["yes"], "true"), (["no"], "false"),
        (["result", "note"], #""}\"]""#),
        (["result", "words"], #"[{"overall":1},{"overall":2}]"#),
    ])
    func valuesAreFoundByPath(path: [String], literal: String) throws {
        for scanner in try Self.scanners(Self.answer) {
            let value = try #require(scanner.value(at: path))
            #expect(scanner.literal(of: value) == literal)
        }
    }

    @Test(arguments: [
        ["overall"], ["recordid"], ["recordI"], ["recordIdx"], [""], ["result", "missing"], ["recordId", "overall"],
        ["result", "words", "overall"], ["nothing", "x"], ["eof", "1"], [#"c\u006fde"#],
    ])
    func whatIsNotThereIsNotFound(path: [String]) throws {
        for scanner in try Self.scanners(Self.answer) {
            #expect(scanner.value(at: path) == nil)
        }
    }

    @Test func anEmptyPathIsTheWhole() throws {
        for scanner in try Self.scanners(" [1] ") {
            let value = try #require(scanner.value(at: []))
            #expect(scanner.literal(of: value) == "[1]")
            #expect(scanner.value(at: "a") == nil)
        }
    }

    @Test func pathsGoOnFromAnObject() throws {
        for scanner in try Self.scanners(Self.answer) {
            let result = try scanner.found("result")
            let overall = try #require(scanner.value(at: ["overall"], in: result))
            #expect(scanner.double(of: overall) == 88.5)
            #expect(scanner.value(at: ["code"], in: result) == nil)
            let words = try scanner.found("result", "words")
            let scores = scanner.elements(of: words).compactMap { scanner.value(at: ["overall"], in: $0) }
            #expect(scores.map(scanner.int(of:)) == [1, 2])
        }
    }

    @Test func membersComeInOrder() throws {
        for scanner in try Self.scanners(Self.answer) {
            let root = try scanner.whole()
            let members = scanner.members(of: root).map { ($0.key, $0.value.kind) }
            #expect(
                members.map(\.0)
                    == ["recordId", "eof", "result", "result2", "code", "code", "nothing", "yes", "no"]
            )
            #expect(
                members.map(\.1)
                    == [.string, .number, .object, .object, .number, .number, .null, .true, .false]
            )
        }
    }

    @Test(arguments: [
        ("{}", 0), ("{ }", 0), (#"{"a":1}"#, 1), (#"{ "a" : 1 , "b" : {} }"#, 2), ("[1,2]", 0), ("\"a\"", 0),
    ])
    func onlyObjectsHaveMembers(text: String, count: Int) throws {
        for scanner in try Self.scanners(text) {
            #expect(Array(scanner.members(of: try scanner.whole())).count == count)
        }
    }

    @Test(arguments: [
        ("[]", []), ("[ ]", []), ("[1]", ["1"]),
        (#"[ [1,[2]] , {"a":[3]} , "," ]"#, ["[1,[2]]", #"{"a":[3]}"#, "\",\""]), ("{}", []),
    ])
    func elementsComeInOrder(text: String, literals: [String]) throws {
        for scanner in try Self.scanners(text) {
            #expect(scanner.elements(of: try scanner.whole()).map(scanner.literal(of:)) == literals)
        }
    }

    @Test func thefirstOfTwoMembersCounts() throws {
        for scanner in try Self.scanners(#"{"a":1,"a":2}"#) {
            #expect(scanner.int(of: try scanner.found("a")) == 1)
        }
    }

    @Test func namesThatUnicodeCallsEqualAreDifferent() throws {
        for scanner in try Self.scanners("{\"\u{E9}\":1,\"e\u{301}\":2}") {
            #expect(scanner.int(of: try scanner.found("e\u{301}")) == 2)
            #expect(scanner.int(of: try scanner.found("\u{E9}")) == 1)
            try scanner.validate(refusingDuplicateMembers: true)
        }
    }

    @Test(arguments: [
        (#"{"a":1,"a":2}"#, 7), (#"{"a":1,"\u0061":2}"#, 7), (#"{"ab":1,"x":{},"a\u0062":2}"#, 15),
        (#"{"":1,"":2}"#, 6),
        (#"{"\ud800":1,"\uD800":2}"#, 12),
    ])
    func repeatedNamesAreRefusedOnDemand(text: String, offset: Int) throws {
        let scanner = JSONScanner(Array(text.utf8))
        try scanner.validate()
        #expect(throws: JSONScanError(.duplicateMember, at: offset)) {
            try scanner.validate(refusingDuplicateMembers: true)
        }
    }

    @Test(arguments: [
        #"{"a":{"a":1,"a":2},"b":[{"c":1,"c":1}]}"#, #"[{"a":1,"a":2}]"#, #"{"a":1,"A":2,"a ":3}"#,
        #"{"\ud800":1,"\ud801":2}"#,
        #"{"a":"a","b":"a"}"#,
    ])
    func namesMayRepeatBelowTheOutermostObject(text: String) throws {
        try JSONScanner(Array(text.utf8)).validate(refusingDuplicateMembers: true)
    }

    @Test func aFloodOfMembersIsNotCompared() throws {
        func object(_ count: Int) -> [UInt8] {
            Array(("{" + (0..<count).map { "\"m\($0)\":\($0)" }.joined(separator: ",") + "}").utf8)
        }
        try JSONScanner(object(1_024)).validate(refusingDuplicateMembers: true)
        let error = try #require(throws: JSONScanError.self) {
            try JSONScanner(object(1_025)).validate(refusingDuplicateMembers: true)
        }
        #expect(error.reason == .tooManyMembers)
        // Without that demand, they are all there and found.
        let scanner = try JSONScanner(validating: object(5_000))
        #expect(scanner.int(of: try scanner.found("m4999")) == 4_999)
        #expect(scanner.value(at: "m5000") == nil)
    }

    @Test(arguments: [
        (#""""#, ""), (#""abc""#, "abc"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u4eCA天""#, "今天"),
        (#""\uD83D\uDE00!""#, "😀!"),
        (#""\u0000\u007f\u0080\u07FF\u0800\uFFFF""#, "\0\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}"),
        (#""\ud800\udc00\uDBFF\uDFFF""#, "\u{10000}\u{10FFFF}"), (#""a\\u0041""#, #"a\u0041"#), (#""\\\\""#, #"\\"#),
    ])
    func stringsAreDecoded(text: String, expected: String) throws {
        for scanner in try Self.scanners("{\"a\":\(text)}") {
            let value = try scanner.found("a")
            let decoded = try #require(scanner.string(of: value))
            #expect(Array(decoded.unicodeScalars) == Array(expected.unicodeScalars))
            #expect(scanner.literal(of: value) == text)
        }
        // And as names.
        let scanner = JSONScanner(Array("{\(text):7}".utf8))
        #expect(scanner.int(of: try scanner.found(expected)) == 7)
        #expect(scanner.members(of: try scanner.whole()).map(\.key) == [expected])
    }

    @Test(arguments: [
        #""\ud800""#, #""\udc00""#, #""\udc00\ud800""#, #""\ud800x""#, #""\ud800\u0041""#, #""\ud800\n""#,
    ])
    func halfASurrogatePairIsNoText(text: String) throws {
        let scanner = try JSONScanner(validating: Array(text.utf8))
        #expect(scanner.string(of: try scanner.whole()) == nil)
    }

    @Test func otherKindsAreNoStrings() throws {
        for text in ["1", "null", "true", "[\"a\"]", "{\"a\":\"b\"}"] {
            let scanner = JSONScanner(Array(text.utf8))
            #expect(scanner.string(of: try scanner.whole()) == nil)
        }
    }

    struct Number: Sendable {
        var text: String
        var int: Int?
        var double: Double?
    }

    @Test(arguments: [
        Number(text: "0", int: 0, double: 0), Number(text: "-0", int: 0, double: 0),
        Number(text: "-17", int: -17, double: -17),
        Number(text: "88.0", int: nil, double: 88), Number(text: "8.8e1", int: nil, double: 88),
        Number(text: "0.1", int: nil, double: 0.1), Number(text: "1E-2", int: nil, double: 0.01),
        Number(text: "9223372036854775807", int: .max, double: 0x1p63),
        Number(text: "-9223372036854775808", int: .min, double: -0x1p63),
        Number(text: "9223372036854775808", int: nil, double: 0x1p63),
        Number(text: "1e400", int: nil, double: nil), Number(text: "1e-400", int: nil, double: 0),
        Number(text: "true", int: nil, double: nil), Number(text: "\"1\"", int: nil, double: nil),
    ])
    func numbersAreReadExactlyOrNotAtAll(number: Number) throws {
        let scanner = try JSONScanner(validating: Array("[\(number.text)]".utf8))
        let value = try #require(Array(scanner.elements(of: scanner.whole())).first)
        #expect(scanner.int(of: value) == number.int)
        #expect(scanner.double(of: value) == number.double)
        #expect(scanner.literal(of: value) == number.text)
    }

    @Test func truthValues() throws {
        let scanner = JSONScanner(Array("[true,false,null,1]".utf8))
        #expect(scanner.elements(of: try scanner.whole()).map(scanner.bool(of:)) == [true, false, nil, nil])
    }

    /// Texts that never passed validation: any answer will do, but reading must end within the bytes.
    @Test(arguments: [
        "", "{", "[", "\"", "{\"", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":\"", "{\"a\":\"\\", "{\"a\":[1,",
        "[[[{\"a\":1}", "]", "}",
        ",", ":", "{]", "[}", "{\"a\":1}}", "{\"a\" 1}", "\\", "{\\", "-", "t", "{\"\\u00\":1}", "{\"\\", "{\"a\":x}",
        "{\"b\":x,\"a\":1}",
    ])
    func unvalidatedTextIsReadWithinItsBytes(text: String) {
        let bytes = Array(text.utf8)
        for end in 0...bytes.count {
            // An array of its own length: the address sanitizer sees a byte too much.
            let scanner = JSONScanner(Array(bytes[..<end]))
            _ = scanner.value(at: "a")
            _ = scanner.value(at: "a", "b")
            guard let root = scanner.root else { continue }
            _ = scanner.string(of: root)
            _ = scanner.double(of: root)
            for member in scanner.members(of: root) { _ = scanner.string(of: member.value) }
            for element in scanner.elements(of: root) { _ = scanner.string(of: element) }
            #expect(root.range.upperBound <= end)
        }
    }
}
