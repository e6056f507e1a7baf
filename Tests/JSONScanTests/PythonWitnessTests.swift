import Foundation
import JSONScan
import TestSupport
import Testing

/// Random texts, whole and damaged, judged by the scanner and by Python's parser.
@Suite struct PythonWitnessTests {
    static let isPythonThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

    /// Compares lines with Python's parser.
    ///
    /// A line has two texts in hexadecimal: one, and what the scanner and writer made of it, or `-` if it was refused.
    /// `?` stands for a valid text with half a surrogate pair in a name, which cannot be written anew.
    /// Prints each line on which Python differs, and the number of valid ones at the end.
    static let judge = """
        import json, sys
        def refuse(name):
            raise ValueError(name)
        def parse(hexadecimal):
            return json.loads(bytes.fromhex(hexadecimal[1:]).decode("utf-8"), parse_constant=refuse)
        valid = 0
        for line in sys.stdin:
            text, copy = line.split()
            try:
                tree = parse(text)
                valid += 1
                if copy == "-" or copy != "?" and repr(parse(copy)) != repr(tree):
                    print(line.strip())
            except ValueError:
                if copy != "-":
                    print(line.strip())
        print(valid)
        """

    @Test(.enabled(if: isPythonThere, "no /usr/bin/python3"), arguments: [1, 2, 3] as [UInt64])
    func pythonAgreesOnRandomTexts(seed: UInt64) async throws {
        var generator = RandomText(seed: seed)
        var lines = ""
        let count = 2_000
        for number in 0..<count {
            var text = generator.value(depth: 4)
            // Two of three are damaged in one to three places.
            if !number.isMultiple(of: 3) { generator.damage(&text) }
            let scanner = try? JSONScanner(validating: text)
            lines += "\(Self.hex(text)) \(try scanner.map { try Self.copy($0) } ?? "-")\n"
        }
        let python = URL(fileURLWithPath: "/usr/bin/python3")
        let (status, output) = try await ChildProcess.run(python, ["-c", Self.judge], input: Array(lines.utf8))
        try #require(status == 0, "\(output)")
        var differences = output.split(separator: "\n")
        let valid = try #require(differences.popLast().flatMap { Int($0) })
        #expect(differences.isEmpty)
        // Both verdicts must have occurred in number, or nothing was compared.
        #expect((count / 3...count - 200).contains(valid))
    }

    private struct UnwritableName: Error {}

    /// Takes a text apart with the scanner and writes it anew.
    private static func copy(_ scanner: JSONScanner) throws -> String {
        var writer = JSONWriter()
        do {
            try writer.array { try self.copy(scanner, scanner.whole(), to: &$0) }
        } catch is UnwritableName {
            return "?"
        }
        // Without the brackets of the array.
        return self.hex(Array(writer.bytes.dropFirst().dropLast()))
    }

    private static func copy(_ scanner: JSONScanner, _ value: JSONValueRange, to array: inout JSONArrayWriter) throws {
        switch value.kind {
        case .object:
            try array.object { object in
                for member in scanner.members(of: value) {
                    guard scanner.string(of: member.name) == member.key else { throw UnwritableName() }
                    var writer = JSONWriter()
                    try writer.array { try self.copy(scanner, member.value, to: &$0) }
                    object.raw(member.key, Array(writer.bytes.dropFirst().dropLast()))
                }
            }
        case .array:
            try array.array { array in
                for element in scanner.elements(of: value) { try self.copy(scanner, element, to: &array) }
            }
        case .string:
            if let text = scanner.string(of: value) {
                array.element(text)
            } else {
                // Half a surrogate pair.
                array.raw(Array(scanner.literal(of: value).utf8))
            }
        case .number, .true, .false, .null:
            array.raw(Array(scanner.literal(of: value).utf8))
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        // The mark keeps an empty text visible.
        "x" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// Makes texts of the grammar, the same ones for the same seed.
struct RandomText {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        self.generator = SeededGenerator(seed: seed)
    }

    private mutating func next(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self.generator) }

    mutating func value(depth: Int) -> [UInt8] {
        switch self.next(depth > 0 ? 9 : 5) {
        case 0: return Array(["true", "false", "null"][self.next(3)].utf8)
        case 1, 2: return self.number()
        case 3, 4: return self.string()
        case 5, 6: return self.list("[", "]") { $0.value(depth: depth - 1) }
        default:
            return self.list("{", "}") { text in
                text.string(allowingHalves: false) + text.space() + Array(":".utf8) + text.space()
                    + text.value(depth: depth - 1)
            }
        }
    }

    private mutating func list(_ opening: String, _ closing: String, item: (inout RandomText) -> [UInt8]) -> [UInt8] {
        var text = Array(opening.utf8)
        for index in 0..<self.next(5) {
            if index > 0 { text += Array(",".utf8) }
            text += self.space() + item(&self) + self.space()
        }
        return text + Array(closing.utf8)
    }

    private mutating func space() -> [UInt8] {
        guard self.next(4) == 0 else { return [] }
        return (0..<self.next(12)).map { _ in [0x20, 0x20, 0x20, 0x09, 0x0A, 0x0D][self.next(6)] }
    }

    private mutating func digits() -> String {
        (0...self.next(6)).map { _ in String(self.next(10)) }.joined()
    }

    private mutating func number() -> [UInt8] {
        var text = self.next(3) == 0 ? "-" : ""
        text += self.next(3) == 0 ? "0" : "\(self.next(9) + 1)" + self.digits()
        if self.next(2) == 0 { text += "." + self.digits() }
        if self.next(4) == 0 { text += ["e", "E", "e+", "E-"][self.next(4)] + "\(self.next(200))" }
        return Array(text.utf8)
    }

    private mutating func string(allowingHalves: Bool = true) -> [UInt8] {
        var text = "\""
        for _ in 0..<self.next(20) {
            switch self.next(10) {
            case 0: text += ["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"][self.next(8)]
            case 1: text += ["今", "é", "😀", "\u{7F}", "\u{80}", "\u{FFFD}", "\u{2028}"][self.next(7)]
            case 2: text += ["\\u0041", "\\u00e9", "\\u4ECA", "\\ud83d\\uDE00", "\\u0000", "\\uFFFF"][self.next(6)]
            case 3 where allowingHalves: text += ["\\ud800", "\\uDFFF", "x", "y"][self.next(4)]
            default: text += ["a", "b", " ", "0", "{", "]", ",", ":", "/", "'"][self.next(10)]
            }
        }
        return Array((text + "\"").utf8)
    }

    /// Changes, removes or adds one to three bytes.
    mutating func damage(_ text: inout [UInt8]) {
        let bytes: [UInt8] = Array("\"\\{}[],:0-.eEt \u{1F}u".utf8) + [0x00, 0x80, 0xC2, 0xE4, 0xED, 0xF4, 0xFF]
        for _ in 0...self.next(3) where !text.isEmpty {
            let index = self.next(text.count)
            switch self.next(3) {
            case 0: text[index] = bytes[self.next(bytes.count)]
            case 1: text.remove(at: index)
            default: text.insert(bytes[self.next(bytes.count)], at: index)
            }
        }
    }
}
