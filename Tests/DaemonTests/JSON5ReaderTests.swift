import Testing

@testable import Daemon

@Suite struct JSON5ReaderTests {
    /// A value as plain text, so that tables can say what they expect.
    static func plain(_ value: JSON5Value) -> String {
        switch value.kind {
        case .null: "null"
        case .boolean(let flag): "\(flag)"
        case .number(.integer(let whole)): "i\(whole)"
        case .number(.fraction(let fraction)): "f\(fraction)"
        case .number(.notFinite(let text)): "n\(text)"
        case .string(let text): "'\(text)'"
        case .array(let elements): "[" + elements.map(self.plain).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\($0.key):\(self.plain($0.value))" }.joined(separator: ",") + "}"
        }
    }

    @Test(arguments: [
        ("null", "null"), ("true", "true"), ("false", "false"), (" \t\n 1 \r\n ", "i1"), ("\u{FEFF}1", "i1"),
        ("\u{A0}\u{2028}\u{3000}1", "i1"),
        // Comments
        ("// a\n1 // b", "i1"), ("/* a * / \n */1/**/", "i1"), ("1//", "i1"), ("[1,//]\n2]", "[i1,i2]"),
        ("// a\r1", "i1"), ("// a\u{2028}1", "i1"),
        // Numbers
        ("0", "i0"), ("-0", "i0"), ("+7", "i7"), ("-12", "i-12"), ("9223372036854775807", "i9223372036854775807"),
        ("-9223372036854775808", "i-9223372036854775808"), ("0x1F", "i31"), ("0Xff", "i255"), ("-0x10", "i-16"),
        ("+0xA", "i10"), (".5", "f0.5"), ("5.", "f5.0"), ("-.25", "f-0.25"), ("1.5", "f1.5"), ("1e3", "f1000.0"),
        ("1E-2", "f0.01"), ("2.5e+2", "f250.0"), (".5e1", "f5.0"), ("5.e1", "f50.0"), ("0.3", "f0.3"),
        ("Infinity", "nInfinity"), ("-Infinity", "n-Infinity"), ("+Infinity", "nInfinity"), ("NaN", "nNaN"),
        ("-NaN", "n-NaN"),
        // Strings
        (#""a""#, "'a'"), ("'a'", "'a'"), (#"'say "hi"'"#, #"'say "hi"'"#), (#""it's""#, "'it's'"),
        (#"'it\'s'"#, "'it's'"), (#""\b\f\n\r\t\v\0""#, "'\u{8}\u{C}\n\r\t\u{B}\0'"), (#""\x41\u00e9""#, "'Aé'"),
        (#""\ud83d\ude00""#, "'😀'"), (#""\a\"\\\/""#, #"'a"\/'"#), ("'a\\\nb'", "'ab'"), ("'a\\\r\nb'", "'ab'"),
        ("'a\\\u{2028}b'", "'ab'"), ("'a\u{2028}b'", "'a\u{2028}b'"), ("'中文'", "'中文'"), ("''", "''"),
        // Lists
        ("[]", "[]"), ("[1]", "[i1]"), ("[1,]", "[i1]"), ("[ 1 , [2,3] , ]", "[i1,[i2,i3]]"),
        // Objects
        ("{}", "{}"), ("{a:1}", "{a:i1}"), ("{a:1,}", "{a:i1}"), ("{'a b':1,\"c\":2}", "{a b:i1,c:i2}"),
        ("{$_a1:1}", "{$_a1:i1}"), ("{ключ:1}", "{ключ:i1}"), (#"{\u0061b:1}"#, "{ab:i1}"),
        (#"{a\u0062:1}"#, "{ab:i1}"),
        ("{null:1,true:2,Infinity:3}", "{null:i1,true:i2,Infinity:i3}"), ("{a:{b:[{c:null}]}}", "{a:{b:[{c:null}]}}"),
        ("/**/{/**/a/**/:/**/1/**/,/**/}/**/", "{a:i1}"),
    ])
    func documentsAreReadAsJSON5Means(text: String, expected: String) throws {
        #expect(Self.plain(try JSON5Reader.read(Array(text.utf8)).root) == expected)
    }

    @Test(arguments: [
        ("", 1, 1, "a value was expected, not end of file"),
        ("\n  ", 2, 3, "a value was expected, not end of file"),
        ("{a:1} x", 1, 7, "unexpected 'x' after the end of the document"),
        ("1 2", 1, 3, "unexpected '2' after the end of the document"),
        ("/* no end", 1, 1, "the comment that begins here has no end (*/)"),
        ("{\n  a: 1\n  b: 2\n}", 3, 3, "',' or '}' was expected, not 'b'"),
        ("{\r\n  a: 1\r\n  b: 2\r\n}", 3, 3, "',' or '}' was expected, not 'b'"),
        ("{a 1}", 1, 4, "':' was expected after the key, not '1'"),
        ("{a:}", 1, 4, "a value was expected, not '}'"),
        ("{,}", 1, 2, "a key was expected, not ','"),
        ("{a:1,,}", 1, 6, "a key was expected, not ','"),
        ("{1:2}", 1, 2, "a key was expected, not '1'"),
        ("{a:1", 1, 1, "the object that begins here has no end (})"),
        ("[1,", 1, 1, "the list that begins here has no end (])"),
        ("[1", 1, 1, "the list that begins here has no end (])"),
        ("[1 2]", 1, 4, "',' or ']' was expected, not '2'"),
        ("[,]", 1, 2, "a value was expected, not ','"),
        ("{a: yes}", 1, 5, "a value was expected; a text needs quotation marks around it"),
        ("True", 1, 1, "a value was expected; a text needs quotation marks around it"),
        ("'abc", 1, 1, "the text that begins here has no closing quotation mark"),
        ("['a\n']", 1, 2, "the text that begins here has no closing quotation mark on its line"),
        (#"'\x4g'"#, 1, 2, "the escape needs 2 hexadecimal digits"),
        (#"'\u12'"#, 1, 2, "the escape needs 4 hexadecimal digits"),
        (#"'\ud83d'"#, 1, 2, "half of a surrogate pair"),
        (#"'\ude00'"#, 1, 2, "half of a surrogate pair"),
        (#"'\ud83d\u0041'"#, 1, 2, "half of a surrogate pair"),
        (#"'\1'"#, 1, 2, #"\1 is no escape"#),
        (#"'\01'"#, 1, 2, #"\0 may not be followed by a digit"#),
        (#"'\"#, 1, 2, "the escape has no end"),
        (#"{\x41:1}"#, 1, 2, #"a key may only contain \u escapes"#),
        (#"{\u0031:1}"#, 1, 2, "this character may not stand in a key without quotation marks"),
        ("010", 1, 1, "a number may not begin with 0; octal numbers do not exist in JSON5"),
        ("0x", 1, 1, "hexadecimal digits were expected after 0x"),
        (".", 1, 1, "this is no number"), ("+", 1, 1, "this is no number"), ("- 1", 1, 1, "this is no number"),
        ("-true", 1, 1, "this is no number"), ("1e", 1, 1, "the exponent has no digits"),
        ("9223372036854775808", 1, 1, "the number does not fit into 64 bits"),
        ("0x8000000000000000", 1, 1, "the number does not fit into 64 bits"),
        ("1e999", 1, 1, "the number is too large"),
        ("{a: 30s}", 1, 5, "a number may not be followed by 's'; a value with a unit needs quotation marks"),
        ("1.2.3", 1, 1, "a number may not be followed by '.'; a value with a unit needs quotation marks"),
        ("{a:\u{1}}", 1, 4, "a value was expected, not control character U+0001"),
        ("# a", 1, 1, "a value was expected, not '#'"),
    ])
    func faultsAreNamedWithTheirPlace(text: String, line: Int, column: Int, message: String) {
        let expected = JSON5SyntaxError(position: SourcePosition(line: line, column: column), message: message)
        #expect(throws: expected) { try JSON5Reader.read(Array(text.utf8)) }
    }

    @Test func columnsCountCharactersAndNotBytes() {
        let text = "{中文: '語音', x: ?}"
        #expect(
            throws: JSON5SyntaxError(
                position: SourcePosition(line: 1, column: 15),
                message: "a value was expected, not '?'"
            )
        ) {
            try JSON5Reader.read(Array(text.utf8))
        }
    }

    @Test func brokenUTF8IsRefusedWithItsPlace() {
        let bytes = Array("{\n a: '".utf8) + [0xC3, 0x28] + Array("'}".utf8)
        let expected = JSON5SyntaxError(
            position: SourcePosition(line: 2, column: 6),
            message: "the file is not UTF-8 here"
        )
        #expect(throws: expected) { try JSON5Reader.read(bytes) }
    }

    @Test func everyDuplicateKeyIsFoundAndTheFirstValueKept() throws {
        let document = try JSON5Reader.read(Array("{a: 1,\n b: {c: 1, 'c': 2},\n a: 3}".utf8))
        #expect(Self.plain(document.root) == "{a:i1,b:{c:i1}}")
        #expect(
            document.duplicates == [
                JSON5SyntaxError(
                    position: SourcePosition(line: 2, column: 12),
                    message: "the key \"c\" stands here a second time; the first is on line 2"
                ),
                JSON5SyntaxError(
                    position: SourcePosition(line: 3, column: 2),
                    message: "the key \"a\" stands here a second time; the first is on line 1"
                ),
            ]
        )
    }

    @Test func deepNestingIsRefusedAndNotFollowed() throws {
        let deepest = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
        #expect(throws: Never.self) { try JSON5Reader.read(Array(deepest.utf8)) }
        let error = #expect(throws: JSON5SyntaxError.self) {
            try JSON5Reader.read([UInt8](repeating: UInt8(ascii: "["), count: 100_000))
        }
        #expect(error?.message == "values are nested deeper than 32 levels")
    }

    @Test func valuesKnowWhereTheyStand() throws {
        let document = try JSON5Reader.read(Array("{\n  a: [\n    1,\n    'x',\n  ],\n}".utf8))
        guard case .object(let members) = document.root.kind, case .array(let elements)? = members.first?.value.kind
        else {
            Issue.record("an object with a list was written")
            return
        }
        #expect(members.first?.position == SourcePosition(line: 2, column: 3))
        #expect(elements.map(\.position) == [SourcePosition(line: 3, column: 5), SourcePosition(line: 4, column: 5)])
    }
}
