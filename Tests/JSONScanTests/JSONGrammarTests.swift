import JSONScan
import Testing

/// RFC 8259 in tables.
@Suite struct JSONGrammarTests {
    @Test(arguments: [
        // Section 2: any value may stand alone, and white space goes around the six structural characters.
        "null", "true", "false", "0", "\"\"", "{}", "[]", " \t\r\n[ \t\r\n] \t\r\n", "{ }",
        " { \"a\" : 1 , \"b\" : [ 2 , 3 ] } ",
        "\n        \n                 [\n         1]",
        // Sections 4 and 5.
        #"{"":0}"#, #"{"a":{"b":{"c":[[],{}]}}}"#, #"{"a":1,"a":2}"#, "[null,true,false]", "[[[[[[[[[[]]]]]]]]]]",
        "[1,2,3]",
        // Section 6.
        "-0", "-1", "10", "1234567890123456789012345678901234567890", "0.0", "-0.5", "1.25", "0e0", "1E5", "1e+5",
        "1e-05",
        "1.5E-10", "123.456e78", "[0,1]", "[0.1]", "-0e-0", "1e999999",
        // Section 7.
        #""plain""#, #""\"\\\/\b\f\n\r\t""#, #""\u0000\u001F\uabcd\uABCD""#, "\"\u{7F}\u{80}\u{FFFF}\u{10FFFF}\"",
        #""\uD834\uDD1E""#, #""\ud834""#, #""\uDD1E\uD834""#, #""今天天气很好，😀""#, "\"\u{2028}\u{2029}\u{FEFF}\"", "\"/\"",
        #""exactly8""#, #""1234567""#, #""12345678901234567890\\""#,
    ])
    func textsOfTheGrammarPass(text: String) throws {
        let scanner = JSONScanner(Array(text.utf8))
        let value = try scanner.validate()
        #expect(scanner.root == value)
        #expect(scanner.literal(of: value) == text.trimmingJSONSpace)
    }

    static let refused: [(String, JSONScanError.Reason, Int)] = [
        ("", .unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("\u{FEFF}{}", .unexpectedByte, 0),
        ("\u{A0}1", .unexpectedByte, 0), ("\u{0C}1", .unexpectedByte, 0), ("\u{0}", .unexpectedByte, 0),
        // Two values, or something behind one.
        ("{} {}", .trailingBytes, 3), ("1 2", .trailingBytes, 2), ("1,", .trailingBytes, 1),
        ("null\u{0}", .trailingBytes, 4),
        ("[]]", .trailingBytes, 2), ("\"a\" x", .trailingBytes, 4), ("{}//", .trailingBytes, 2),
        ("truetrue", .trailingBytes, 4),
        ("nullx", .trailingBytes, 4),
        // Words.
        ("tru", .unexpectedEnd, 3), ("True", .unexpectedByte, 0), ("trux", .invalidLiteral, 0),
        ("[nul]", .invalidLiteral, 1),
        ("fals ", .invalidLiteral, 0), ("NaN", .unexpectedByte, 0), ("nan", .invalidLiteral, 0),
        ("Infinity", .unexpectedByte, 0), ("undefined", .unexpectedByte, 0),
        // Numbers.
        ("-", .unexpectedEnd, 1), ("[-]", .invalidNumber, 1), ("+1", .unexpectedByte, 0), ("01", .invalidNumber, 0),
        ("-01", .invalidNumber, 0), ("00", .invalidNumber, 0), (".5", .unexpectedByte, 0), ("1.", .unexpectedEnd, 2),
        ("[1.]", .invalidNumber, 1), ("1.e5", .invalidNumber, 0), ("1e", .unexpectedEnd, 2),
        ("[1e]", .invalidNumber, 1),
        ("1e+", .unexpectedEnd, 3), ("[1e+]", .invalidNumber, 1), ("1e5.5", .trailingBytes, 3),
        ("0x10", .trailingBytes, 1),
        ("1_000", .trailingBytes, 1), ("--1", .invalidNumber, 0), ("-Infinity", .invalidNumber, 0),
        ("1.5.5", .trailingBytes, 3),
        ("１", .unexpectedByte, 0),
        // Arrays.
        ("[", .unexpectedEnd, 1), ("[1", .unexpectedEnd, 2), ("[1,", .unexpectedEnd, 3), ("[1,]", .unexpectedByte, 3),
        ("[,1]", .unexpectedByte, 1), ("[1 2]", .unexpectedByte, 3), ("[1}", .unexpectedByte, 2),
        ("[,]", .unexpectedByte, 1),
        ("]", .unexpectedByte, 0), ("[1,,2]", .unexpectedByte, 3), ("[1:2]", .unexpectedByte, 2),
        ("[/**/]", .unexpectedByte, 1),
        // Objects.
        ("{", .unexpectedEnd, 1), ("{\"a\"", .unexpectedEnd, 4), ("{\"a\":", .unexpectedEnd, 5),
        ("{\"a\":1", .unexpectedEnd, 6),
        ("{\"a\":1,", .unexpectedEnd, 7), ("{\"a\":1,}", .unexpectedByte, 7), ("{,}", .unexpectedByte, 1),
        ("{a:1}", .unexpectedByte, 1), ("{1:1}", .unexpectedByte, 1), ("{'a':1}", .unexpectedByte, 1),
        ("{\"a\" 1}", .unexpectedByte, 5), ("{\"a\":}", .unexpectedByte, 5), ("{\"a\"}", .unexpectedByte, 4),
        ("{\"a\":1]", .unexpectedByte, 6), ("{\"a\":1 \"b\":2}", .unexpectedByte, 7), ("}", .unexpectedByte, 0),
        ("{\"a\":1,,\"b\":2}", .unexpectedByte, 7), ("{null:1}", .unexpectedByte, 1), ("{\"a\"=1}", .unexpectedByte, 4),
        // Strings.
        ("\"", .unexpectedEnd, 1), ("\"abc", .unexpectedEnd, 4), ("'a'", .unexpectedByte, 0),
        ("\"\\", .unexpectedEnd, 2),
        ("\"a\nb\"", .controlCharacter, 2), ("\"\t\"", .controlCharacter, 1), ("\"\u{0}\"", .controlCharacter, 1),
        ("\"1234567\u{1F}\"", .controlCharacter, 8), ("\"12345678\u{1F}\"", .controlCharacter, 9),
        (#""\x""#, .invalidEscape, 1), (#""\'""#, .invalidEscape, 1), (#""\U0041""#, .invalidEscape, 1),
        (#""\u004""#, .invalidEscape, 1), (#""\u00g0""#, .invalidEscape, 1), (#""\u""#, .invalidEscape, 1),
        (#""abc\u12"#, .unexpectedEnd, 8), (#""\ ""#, .invalidEscape, 1), ("\"\\\n\"", .invalidEscape, 1),
        (#""\u+123""#, .invalidEscape, 1), (#"{"\q":1}"#, .invalidEscape, 2),
    ]

    @Test(arguments: refused)
    func everythingElseIsRefusedAtTheFirstWrongByte(text: String, reason: JSONScanError.Reason, offset: Int) {
        #expect(throws: JSONScanError(reason, at: offset)) { try JSONScanner(Array(text.utf8)).validate() }
        #expect(throws: JSONScanError(reason, at: offset)) { try JSONScanner(validating: Array(text.utf8)) }
    }

    /// RFC 3629, section 4, and the table of well-formed sequences in the Unicode standard.
    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xC2, 0xC2], [0xE0, 0x80, 0x80],
            [0xE0, 0x9F, 0xBF], [0xE1, 0x80], [0xE1, 0x80, 0x41], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xEF, 0xBF],
            [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x90, 0x80], [0xF0, 0x90, 0x80, 0x41],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
            [0xE4, 0xBB, 0x8A, 0x8A], [0xE4, 0xBB, 0xE4, 0xBB, 0x8A],
        ] as [[UInt8]]
    )
    func illFormedUTF8IsRefused(sequence: [UInt8]) throws {
        for padding in 0...9 {
            let text = [UInt8](repeating: 0x61, count: padding)
            let body = [0x22] + text + sequence + text + [0x22]
            let error = try #require(throws: JSONScanError.self) { try JSONScanner(body).validate() }
            #expect(error.reason == .invalidUTF8)
            #expect((padding + 1..<padding + 1 + sequence.count).contains(error.offset))
        }
        #expect(throws: JSONScanError.self) { try JSONScanner(sequence).validate() }
    }

    @Test func everyCharacterPassesAndComesBack() throws {
        // All 1,112,064 scalars in strings of 64, so that every position in the eight-byte steps is met.
        var text = ""
        for number in UInt32(0x20)...0x10FFFF {
            guard let scalar = Unicode.Scalar(number), scalar != "\"", scalar != "\\" else { continue }
            text.unicodeScalars.append(scalar)
            guard text.unicodeScalars.count == 64 || number == 0x10FFFF else { continue }
            let scanner = JSONScanner(Array("\"\(text)\"".utf8))
            let value = try scanner.validate()
            if scanner.string(of: value)?.utf8.elementsEqual(text.utf8) != true {
                Issue.record("scalars up to \(number)")
            }
            text = ""
        }
    }

    @Test(arguments: [1, 2, 63, 64, 65, 128, 1_024])
    func depthIsLimitedExactly(depth: Int) throws {
        for (opening, closing) in [("[", "]"), ("{\"a\":", "}")] {
            let innermost = opening == "[" ? "" : "0"
            let text = String(repeating: opening, count: depth) + innermost + String(repeating: closing, count: depth)
            try JSONScanner(Array(text.utf8)).validate(maximumDepth: depth)
            let error = try #require(throws: JSONScanError.self) {
                try JSONScanner(Array(text.utf8)).validate(maximumDepth: depth - 1)
            }
            #expect(error == JSONScanError(.tooDeep, at: opening.utf8.count * (depth - 1)))
        }
    }

    @Test func theDefaultDepthIs128AndSiblingsDoNotCount() throws {
        let deepest = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
        try JSONScanner(Array("\(deepest)".utf8)).validate()
        #expect(throws: JSONScanError(.tooDeep, at: 128)) { try JSONScanner(Array("[\(deepest)]".utf8)).validate() }
        let siblings = "[" + Array(repeating: "[[]]", count: 1_000).joined(separator: ",") + "]"
        try JSONScanner(Array(siblings.utf8)).validate(maximumDepth: 3)
    }

    @Test func aMillionOpeningBracketsEndAtTheLimit() {
        let flood = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(throws: JSONScanError(.tooDeep, at: 128)) { try JSONScanner(flood).validate() }
        // The methods that trust the text must survive one, too.
        #expect(JSONScanner(flood).root == nil)
    }

    @Test func errorsAreDescribedWithoutTheText() {
        #expect("\(JSONScanError(.invalidNumber, at: 17))" == "invalid number at byte 17")
        for reason in JSONScanError.Reason.allCases {
            #expect("\(JSONScanError(reason, at: 3))".hasSuffix(" at byte 3"))
        }
    }
}

extension String {
    /// The text without JSON's white space at both ends.
    var trimmingJSONSpace: String {
        let isSpace: (Character) -> Bool = { $0.utf8.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }
        var rest = self[...]
        while let first = rest.first, isSpace(first) { rest.removeFirst() }
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return String(rest)
    }
}
