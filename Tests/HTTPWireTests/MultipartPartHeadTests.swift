import HTTPWire
import TestSupport
import Testing

/// Heads of parts (RFC 7578, sections 4 and 5.1), and the encoder that writes them.
@Suite struct MultipartPartHeadTests {
    private func head(_ lines: String) throws -> MultipartPartHead {
        let bytes = Array(
            "--b\r\n\(lines)\r\n\r\nc\r\n--b--".unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        )
        let (whole, problems) = MultipartTranscript.verified(bytes, boundary: "b")
        #expect(problems.isEmpty, "\(problems)")
        if let error = whole.error { throw error }
        return try #require(whole.parts.first).head
    }

    @Test(arguments: [
        ("form-data; name=\"a\"", "a", nil), ("form-data; name=a", "a", nil), ("Form-Data;NAME=\"a\"", "a", nil),
        ("form-data; name=\"\"", "", nil), ("form-data; name=\"a\"; filename=\"b.wav\"", "a", "b.wav"),
        ("form-data; filename=\"b.wav\"; name=\"a\"", "a", "b.wav"), ("form-data; name=\"a\"; filename=\"\"", "a", ""),
        ("form-data ; name=\"a\" ; x=\"y;z\" ;", "a", nil),
        // Escapes: what browsers and curl write.
        ("form-data; name=\"a%22b\"", "a\"b", nil), ("form-data; name=\"a%0D%0Ab%0d%0a\"", "a\r\nb\r\n", nil),
        ("form-data; name=\"a%20b%\"", "a%20b%", nil), ("form-data; name=\"%2\"", "%2", nil),
        ("form-data; name=\"%%22\"", "%\"", nil), ("form-data; name=\"a\\\"b\\\\c\"", "a\"b\\c", nil),
        ("form-data; name=\"a\"; filename=\"C:\\dir\\b.wav\"", "a", "C:\\dir\\b.wav"),
        ("form-data; name=\"a;b=c\"", "a;b=c", nil),
        // filename* is not looked at.
        ("form-data; name=\"a\"; filename=\"b\"; filename*=UTF-8''%e4%b8%ad", "a", "b"),
        ("form-data; name=\"a\"; filename*=UTF-8''b.wav", "a", nil),
        // UTF-8 as it is.
        ("form-data; name=\"\u{E4}\u{B8}\u{AD}\"; filename=\"\u{E6}\u{96}\u{87}.wav\"", "中", "文.wav"),
        ("form-data; name=\"a\"; filename=\"\u{D6}\u{D0}\"", "a", "\u{FFFD}\u{FFFD}"),
    ])
    func dispositionIsRead(_ value: String, _ name: String, _ filename: String?) throws {
        let head = try self.head("Content-Disposition: \(value)")
        #expect(head == MultipartPartHead(name: name, filename: filename))
    }

    @Test(
        arguments: [
            ("X: y", .missingName), ("Content-Type: text/plain", .missingName),
            ("Content-Disposition: attachment; name=\"a\"", .missingName),
            ("Content-Disposition: form-data", .missingName),
            ("Content-Disposition: form-data; filename=\"a\"", .missingName),
            ("Content-Disposition:", .missingName), ("Content-Disposition: form-data; name*=UTF-8''a", .missingName),
            ("Content-Disposition: form-data; name=\"a\"\r\nContent-Transfer-Encoding: base64", .encodedPart),
            ("Content-Disposition: form-data; name=\"a\"\r\nContent-Transfer-Encoding: quoted-printable", .encodedPart),
        ] as [(String, MultipartError)]
    )
    func isRefused(_ lines: String, _ error: MultipartError) {
        #expect(throws: error) { try self.head(lines) }
    }

    @Test(arguments: [
        "Content-Disposition: form-data; name", "Content-Disposition: form-data; name=",
        "Content-Disposition: form-data; name=\"a",
        "Content-Disposition: form-data; name=\"a\"b", "Content-Disposition: form-data; name=\"a\"; name=\"b\"",
        "Content-Disposition: form-data; name=\"a\"; filename=\"b\"; Filename=\"c\"",
        "Content-Disposition: form-data, name=\"a\"",
        "Content-Disposition: form-data; name=\"a\\", "Content-Disposition: form-data; name=a b",
        "Content-Disposition: form-data; name=\"\u{D6}\u{D0}\"",
        "Content-Disposition: form-data; name=\"a\"\r\nContent-Disposition: form-data; name=\"b\"",
        "Content-Disposition: form-data; name=\"a\"\r\nContent-Type: a/b\r\nContent-Type: c/d",
        "Content-Disposition : form-data; name=\"a\"", "Content-Disposition: form-data;\r\n name=\"a\"",
        "Content-Disposition: form-data; name=\"a\u{0}\"", "Content-Disposition: form-data; name=\"a\"\nX: y", ": y",
        "X y",
        " X: y", "X: \u{1}",
    ])
    func isMalformed(_ lines: String) {
        let error = #expect(throws: MultipartError.self) { try self.head(lines) }
        if case .malformedPartHead? = error { return }
        Issue.record("another error: \(String(describing: error))")
    }

    @Test func otherFieldsAreIgnored() throws {
        let head = try self.head(
            "X-A: b\r\ncontent-disposition: form-data; name=a\r\nCONTENT-TYPE: audio/wav; a=b\r\nContent-Transfer-Encoding: Binary\r\nContent-Length: 99"
        )
        #expect(head == MultipartPartHead(name: "a", contentType: "audio/wav; a=b"))
    }

    // MARK: Encoder

    @Test func theEncodedFormIsTheOneOfTheContract() {
        let encoder = MultipartEncoder(boundary: "----YuguFormBoundary00ff")
        #expect(encoder.contentType == "multipart/form-data; boundary=----YuguFormBoundary00ff")
        var bytes = encoder.partHead(name: "config", contentType: "application/json; charset=utf-8")
        bytes += Array("{}".utf8) + MultipartEncoder.partEnd
        bytes += encoder.partHead(name: "audio", filename: "a\"b\r\n.wav", contentType: "audio/wav\r\nX: y")
        bytes += Array("RIFF".utf8) + MultipartEncoder.partEnd
        bytes += encoder.partHead(name: "refText") + Array("中".utf8) + MultipartEncoder.partEnd + encoder.closing
        #expect(
            String(decoding: bytes, as: UTF8.self) == """
                ------YuguFormBoundary00ff\r
                Content-Disposition: form-data; name="config"\r
                Content-Type: application/json; charset=utf-8\r
                \r
                {}\r
                ------YuguFormBoundary00ff\r
                Content-Disposition: form-data; name="audio"; filename="a%22b%0D%0A.wav"\r
                Content-Type: audio/wav  X: y\r
                \r
                RIFF\r
                ------YuguFormBoundary00ff\r
                Content-Disposition: form-data; name="refText"\r
                \r
                中\r
                ------YuguFormBoundary00ff--\r\n
                """
        )
    }

    @Test func whatIsEncodedIsReadBack() {
        let encoder = MultipartEncoder(boundary: "----YuguFormBoundary00ff")
        let heads = [
            MultipartPartHead(name: "a\"b", filename: "中\r\n.wav", contentType: "audio/wav"),
            MultipartPartHead(name: "100% sure"),
            MultipartPartHead(name: "", filename: ""),
        ]
        let contents = ["", "\r\n--\(encoder.boundary.dropLast())", "\r\n\r"]
        var bytes: [UInt8] = []
        for (head, content) in zip(heads, contents) {
            bytes += encoder.partHead(name: head.name, filename: head.filename, contentType: head.contentType)
            bytes += Array(content.utf8) + MultipartEncoder.partEnd
        }
        let (whole, problems) = MultipartTranscript.verified(bytes + encoder.closing, boundary: encoder.boundary)
        #expect(problems.isEmpty, "\(problems)")
        #expect(whole.isComplete && whole.error == nil)
        #expect(whole.parts.map(\.head) == heads)
        #expect(whole.parts.map { String(decoding: $0.content, as: UTF8.self) } == contents)
    }

    /// A backslash must not swallow the quote behind it, nor the backslash behind it.
    @Test(arguments: [
        ("C:\\b.wav", "C:\\b.wav"), ("a\\", "a\\\\"), ("\\", "\\\\"), ("a\\\\b", "a\\\\\\\\b"),
        ("\\\\\\", "\\\\\\\\\\\\"),
        ("a\\\"; name=\"b", "a\\%22; name=%22b"), ("\\a\\", "\\a\\\\"),
    ])
    func backslashesAreReadBack(_ name: String, _ encoded: String) {
        let encoder = MultipartEncoder(boundary: "b")
        let head = MultipartPartHead(name: name, filename: name)
        let bytes = encoder.partHead(name: name, filename: name)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "--b\r\nContent-Disposition: form-data; name=\"\(encoded)\"; filename=\"\(encoded)\"\r\n\r\n"
        )
        let (whole, problems) = MultipartTranscript.verified(
            bytes + MultipartEncoder.partEnd + encoder.closing,
            boundary: "b"
        )
        #expect(problems.isEmpty, "\(problems)")
        #expect(whole.parts.map(\.head) == [head])
    }

    @Test func aBoundaryThatIsNoTokenIsQuoted() throws {
        let encoder = MultipartEncoder(boundary: "a b:c")
        #expect(encoder.contentType == "multipart/form-data; boundary=\"a b:c\"")
        #expect(try MultipartParser.boundary(ofContentType: encoder.contentType) == "a b:c")
    }
}
