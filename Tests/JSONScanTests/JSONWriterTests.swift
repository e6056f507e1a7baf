import Foundation
import JSONScan
import Testing

@Suite struct JSONWriterTests {
    private func text(_ build: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        build(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func anErrorBody() {
        let body = self.text { writer in
            writer.object { error in
                error.member("code", 40_001)
                error.member("message", "no \"audio\" part")
                error.member("retryable", false)
                error.member("reason", String?.none)
                error.null("detail")
                error.array("parts") { parts in
                    parts.element("config")
                    parts.element(1.5)
                    parts.object { $0.member("empty", true) }
                    parts.array { _ in }
                    parts.raw(Array("{\"raw\":1}".utf8))
                }
                error.object("nested") { $0.object("none") { _ in } }
                error.raw("stored", Array("[1, 2]".utf8))
                error.member("last", Int64.min)
            }
            writer.lineFeed()
        }
        #expect(
            body == """
                {"code":40001,"message":"no \\"audio\\" part","retryable":false,"reason":null,"detail":null,\
                "parts":["config",1.5,{"empty":true},[],{"raw":1}],"nested":{"none":{}},"stored":[1, 2],\
                "last":-9223372036854775808}

                """
        )
    }

    @Test(arguments: [
        ("", #""""#), ("plain 今天 😀", #""plain 今天 😀""#), ("\"\\/", #""\"\\/""#), ("\u{8}\u{C}\n\r\t", #""\b\f\n\r\t""#),
        ("\0\u{1}\u{1F}\u{7F}", #""\u0000\u0001\u001f\u007f""#), ("a\nb\nc", #""a\nb\nc""#),
        ("\u{80}\u{2028}", "\"\u{80}\u{2028}\""),
    ])
    func textIsEscaped(text: String, expected: String) {
        #expect(self.text { $0.value(text) } == expected)
        #expect(self.text { $0.object { $0.member(text, 1) } } == "{\(expected):1}")
    }

    @Test func everyCharacterComesBackThroughFoundation() throws {
        for start in stride(from: UInt32(0), through: 0x10FFFF, by: 0x1000) {
            let scalars = (start..<start + 0x1000).compactMap(Unicode.Scalar.init)
            var text = ""
            text.unicodeScalars.append(contentsOf: scalars)
            var writer = JSONWriter()
            writer.array { $0.element(text) }
            #expect(!writer.bytes.contains { $0 < 0x20 })
            let back = try JSONDecoder().decode([String].self, from: Data(writer.bytes))
            #expect(back.count == 1 && back[0].utf8.elementsEqual(text.utf8), "scalars from \(start) on")
        }
    }

    @Test(
        arguments: [
            (0, "0.0"), (-0.0, "-0.0"), (88, "88.0"), (0.1, "0.1"), (1e21, "1e+21"),
            (Double.leastNonzeroMagnitude, "5e-324"), (.nan, "null"),
            (.infinity, "null"), (-.infinity, "null"), (0.1 + 0.2, "0.30000000000000004"),
            (Double.greatestFiniteMagnitude, "1.7976931348623157e+308"),
        ] as [(Double, String)]
    )
    func floatingPointIsShortestAndValid(number: Double, expected: String) throws {
        let text = self.text { $0.value(number) }
        #expect(text == expected)
        let scanner = try JSONScanner(validating: Array(text.utf8))
        if number.isFinite { #expect(scanner.double(of: try scanner.whole()) == number) }
    }

    @Test func integersOfAllWidths() {
        let text = self.text { writer in
            writer.array { array in
                array.element(UInt64.max)
                array.element(Int64.min)
                array.element(UInt16.max)
                array.element(Int32.min)
                array.element(Int?.none)
            }
        }
        #expect(text == "[18446744073709551615,-9223372036854775808,65535,-2147483648,null]")
    }

    @Test func aThrowingClosureLosesNothingThatWasThere() {
        struct Stop: Error {}
        var writer = JSONWriter()
        writer.value("kept")
        #expect(throws: Stop.self) {
            try writer.object { object in
                object.member("a", 1)
                throw Stop()
            }
        }
        #expect(String(decoding: writer.bytes, as: UTF8.self).hasPrefix("\"kept\""))
    }
}
