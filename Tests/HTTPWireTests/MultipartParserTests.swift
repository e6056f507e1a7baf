import HTTPWire
import TestSupport
import Testing

/// Delimiters and content of multipart/form-data (RFC 2046, section 5.1; RFC 7578).
@Suite struct MultipartParserTests {
    private static let field = "Content-Disposition: form-data; name=\"a\"\r\n\r\n"

    private func parse(
        _ text: String,
        boundary: String = "b",
        limits: MultipartLimits = .init()
    ) -> MultipartTranscript {
        let bytes = Array(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        return self.parse(bytes, boundary: boundary, limits: limits)
    }

    private func parse(_ bytes: [UInt8], boundary: String, limits: MultipartLimits = .init()) -> MultipartTranscript {
        let (whole, problems) = MultipartTranscript.verified(bytes, boundary: boundary, limits: limits)
        #expect(problems.isEmpty, "\(problems)")
        return whole
    }

    private func contents(_ transcript: MultipartTranscript) -> [String] {
        #expect(transcript.error == nil && transcript.isComplete, "\(transcript)")
        let ends = transcript.parts.map(\.hasEnded)
        #expect(!ends.contains(false))
        return transcript.parts.map { String(decoding: $0.content, as: UTF8.self) }
    }

    @Test func partsComeInOrderWithTheirHeads() {
        let whole = self.parse(
            """
            ------YuguFormBoundary00ff\r
            Content-Disposition: form-data; name="config"\r
            Content-Type: application/json; charset=utf-8\r
            \r
            {"coreType":"sent.eval.cn"}\r
            ------YuguFormBoundary00ff\r
            Content-Disposition: form-data; name="audio"; filename="a b.wav"\r
            Content-Type: audio/wav\r
            \r
            RIFF\u{0}\r
            \r
            ------YuguFormBoundary00ff--\r

            """,
            boundary: "----YuguFormBoundary00ff"
        )
        #expect(self.contents(whole) == ["{\"coreType\":\"sent.eval.cn\"}", "RIFF\u{0}\r\n"])
        #expect(
            whole.parts.map(\.head) == [
                MultipartPartHead(name: "config", contentType: "application/json; charset=utf-8"),
                MultipartPartHead(name: "audio", filename: "a b.wav", contentType: "audio/wav"),
            ]
        )
    }

    /// What begins like a delimiter and is none stays content, wherever the input is cut.
    @Test(arguments: [
        "", "\r", "\n", "\r\n", "\r\n\r\n", "-", "--", "--b", "\r\n-", "\r\n--", "\r\n--B", "\r\n--\r\n", "\r\r\n--a",
        "\r\n\r\n--",
        "\r\n\r\n-b", "\r\n-\r\n--\r\n-", "\n--b", "\r--b", "x--b--", "\r\n --b", "\r\n---b", "\r\r\r\r", "\r\n\r",
        "a\r\n-\r\n-b",
        "\r\n--\r\n--\r\n-", "0123456789\r\n--c0123456789\r\n--", "\u{0}\u{FF}\r\u{0}",
    ])
    func nearDelimitersAreContent(_ content: String) {
        let bytes = Array(content.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        let text = Array("--bb\r\n\(Self.field)".utf8) + bytes + Array("\r\n--bb--\r\n".utf8)
        let whole = self.parse(text, boundary: "bb")
        #expect(whole.error == nil && whole.isComplete, "\(whole)")
        #expect(whole.parts.map(\.content) == [bytes])
    }

    /// Every proper beginning of the delimiter, followed by what breaks it off.
    @Test func everyBeginningOfALongDelimiterIsContent() {
        let boundary = "0123456789012345678901234567890123456789012345678901234567890123456789"
        #expect(boundary.utf8.count == 70)
        let delimiter = "\r\n--" + boundary
        for length in 1..<delimiter.utf8.count {
            for end in ["x", "\r", "\r\n", "-"] {
                let content = String(delimiter.unicodeScalars.prefix(length).map(Character.init)) + end
                guard !delimiter.hasPrefix(content) else { continue }
                let text = "--\(boundary)\r\n\(Self.field)\(content)\(delimiter)--"
                let bytes = Array(text.utf8)
                let whole = MultipartTranscript(boundary: boundary) { take in
                    for byte in bytes { try withUnsafeBytes(of: byte, take) }
                }
                #expect(self.contents(whole) == [content])
                let atOnce = MultipartTranscript(boundary: boundary) { take in try bytes.withUnsafeBytes(take) }
                #expect(atOnce == whole)
            }
        }
    }

    @Test(
        arguments: [
            ("--b--", []), ("--b--\r\n", []), ("--b--\r\nepilogue\r\n--b\r\n", []), ("preamble\r\n--b--", []),
            ("\r\n--b--", []),
            ("a--b\r\n\r\n--b \t\r\n\(Self.field)c\r\n--b-- \t\r\n", ["c"]),
            ("--b\r\n\(Self.field)c\r\n--b\r\n\(Self.field)d\r\n--b--", ["c", "d"]),
            // The line end of an empty head belongs to the delimiter when there is no content.
            ("--b\r\n\(Self.field)--b--", [""]), ("--b\r\n\(Self.field)\r\n--b--", [""]),
            ("--b\r\n\(Self.field)-\r\n--b--", ["-"]),
            ("--b\r\n\(Self.field)--\r\n--b--", ["--"]),
            ("--b\r\n\(Self.field)--b\r\n\(Self.field)\r\n\r\n--b--\r", ["", "\r\n"]),
        ] as [(String, [String])]
    )
    func delimiterLines(_ text: String, _ expected: [String]) {
        #expect(self.contents(self.parse(text)) == expected)
    }

    @Test(
        arguments: [
            ("--b\n\(Self.field)c\n--b--\n", .malformedDelimiter), ("--bc\r\n", .malformedDelimiter),
            ("--b-\r\n", .malformedDelimiter), ("--b-x", .malformedDelimiter), ("--b --\r\n", .malformedDelimiter),
            ("--b\rx", .malformedDelimiter), ("--b--x", .malformedDelimiter), ("--b--\n", .malformedDelimiter),
            ("--b--\rx", .malformedDelimiter), ("--b\r\n\(Self.field)c\r\n--bd", .malformedDelimiter),
            ("--b\r\n\(Self.field)c\r\n--b\n", .malformedDelimiter), ("--b\u{0}", .malformedDelimiter),
            ("", .boundaryNotFound), ("c", .boundaryNotFound), ("--c\r\n\(Self.field)\r\n--c--", .boundaryNotFound),
            ("--", .boundaryNotFound), ("x--b--", .boundaryNotFound), ("\n--b--", .boundaryNotFound),
            ("--b", .truncated), ("--b\r", .truncated), ("--b\r\n", .truncated), ("--b-", .truncated),
            ("--b\r\nContent-Disposition: form-da", .truncated), ("--b\r\n\(Self.field)", .truncated),
            ("--b\r\n\(Self.field)c", .truncated), ("--b\r\n\(Self.field)c\r\n--", .truncated),
            ("--b\r\n\(Self.field)c\r\n--b", .truncated), ("--b\r\n\(Self.field)c\r\n--b\r\n", .truncated),
            ("--b\r\n\(Self.field)c\r\n--b-", .truncated), ("--b\r\n\(Self.field)c\r\n--c--\r\n", .truncated),
        ] as [(String, MultipartError)]
    )
    func isRefused(_ text: String, _ error: MultipartError) {
        let whole = self.parse(text)
        #expect(whole.error == error, "\(whole)")
    }

    @Test func boundariesOfAllCharactersAreFound() {
        for boundary in ["'()+_,-./:=?", "a b", "-", "--", "-----------", "0", "=_?:"] {
            let text = "--\(boundary)\r\n\(Self.field)c\r\n--\r\n--x\r\n--\(boundary)--\r\n"
            #expect(self.contents(self.parse(text, boundary: boundary)) == ["c\r\n--\r\n--x"])
        }
    }

    @Test func contentIsPassedOnWhereItLies() throws {
        let bytes = Array("--b\r\n\(Self.field)0123456789\r\n--c\r\n--b--".utf8)
        try bytes.withUnsafeBytes { lent in
            var parser = MultipartParser(boundary: "b")
            var pieces: [Range<Int>] = []
            let start = try #require(lent.baseAddress)
            try parser.parse(lent) { event in
                guard case .partBytes(let piece) = event, let address = piece.baseAddress else { return }
                let offset = start.distance(to: address)
                pieces.append(offset..<offset + piece.count)
            }
            let content = 5 + Self.field.utf8.count
            #expect(pieces == [content..<content + 15])
        }
    }

    // MARK: Limits

    @Test func partsAreCounted() {
        var limits = MultipartLimits()
        limits.partCount = 2
        let part = "--b\r\n\(Self.field)c\r\n"
        #expect(self.contents(self.parse(part + part + "--b--", limits: limits)) == ["c", "c"])
        #expect(self.parse(part + part + part + "--b--", limits: limits).error == .tooManyParts)
        let many = String(repeating: part, count: 64)
        #expect(
            MultipartTranscript(boundary: "b") { take in try Array((many + "--b--").utf8).withUnsafeBytes(take) }.error
                == nil
        )
        #expect(
            MultipartTranscript(boundary: "b") { take in try Array((many + part + "--b--").utf8).withUnsafeBytes(take) }
                .error
                == .tooManyParts
        )
    }

    @Test func theHeadOfAPartIsBounded() {
        var limits = MultipartLimits()
        limits.partHeadBytes = Self.field.utf8.count
        #expect(self.contents(self.parse("--b\r\n\(Self.field)c\r\n--b--", limits: limits)) == ["c"])
        #expect(self.parse("--b\r\nX\(Self.field)c\r\n--b--", limits: limits).error == .partHeadTooLarge)
        #expect(self.parse("--b\r\n" + String(repeating: "a", count: 100), limits: limits).error == .partHeadTooLarge)
        limits = MultipartLimits()
        limits.fieldCount = 2
        #expect(self.contents(self.parse("--b\r\nX: y\r\n\(Self.field)c\r\n--b--", limits: limits)) == ["c"])
        #expect(self.parse("--b\r\nX: y\r\nX: y\r\n\(Self.field)c\r\n--b--", limits: limits).error == .partHeadTooLarge)
    }

    @Test func whatStandsOutsideIsBounded() {
        var limits = MultipartLimits()
        limits.preambleBytes = 10
        limits.epilogueBytes = 5
        limits.paddingBytes = 3
        #expect(self.contents(self.parse("0123456789\r\n--b--\r\n01234", limits: limits)).isEmpty)
        #expect(self.parse("0123456789x\r\n--b--", limits: limits).error == .strayBytes)
        #expect(self.parse("--b--\r\n012345", limits: limits).error == .strayBytes)
        #expect(self.contents(self.parse("--b--   \r\n", limits: limits)).isEmpty)
        #expect(self.parse("--b    \r\n", limits: limits).error == .malformedDelimiter)
    }

    // MARK: Life

    @Test func whatTheConsumerThrowsComesOut() {
        struct Enough: Error {}
        var parser = MultipartParser(boundary: "b")
        #expect(throws: Enough.self) {
            try Array("--b\r\n\(Self.field)c".utf8).withUnsafeBytes { try parser.parse($0) { _ in throw Enough() } }
        }
    }

    @Test func anErrorStays() {
        var parser = MultipartParser(boundary: "b")
        for text in ["--bx", "\r\n--b--"] {
            #expect(throws: MultipartError.malformedDelimiter) {
                try Array(text.utf8).withUnsafeBytes { try parser.parse($0) { _ in } }
            }
        }
        #expect(throws: MultipartError.malformedDelimiter) { try parser.finish() }
    }

    // MARK: Content-Type

    @Test(arguments: [
        ("multipart/form-data; boundary=abc", "abc"), ("Multipart/Form-Data;BOUNDARY=AbC", "AbC"),
        ("multipart/form-data; charset=utf-8; boundary=\"a b\"", "a b"),
        ("multipart/form-data; boundary=\"a:b\"", "a:b"),
        ("multipart/form-data; boundary=----YuguFormBoundary0f", "----YuguFormBoundary0f"),
        ("multipart/form-data; boundary=" + String(repeating: "x", count: 70), String(repeating: "x", count: 70)),
    ])
    func theBoundaryIsRead(_ value: String, _ boundary: String) throws {
        #expect(try MultipartParser.boundary(ofContentType: value) == boundary)
    }

    @Test(
        arguments: [
            ("application/json", .notFormData), ("", .notFormData), ("multipart/mixed; boundary=a", .notFormData),
            ("multipart/form-datax; boundary=a", .notFormData), ("multipart/form-data", .invalidBoundary),
            ("multipart/form-data; boundary=", .invalidBoundary),
            ("multipart/form-data; boundary=\"\"", .invalidBoundary),
            ("multipart/form-data; boundary=\"a \"", .invalidBoundary),
            ("multipart/form-data; boundary=a;boundary=b", .invalidBoundary),
            ("multipart/form-data; boundary=" + String(repeating: "x", count: 71), .invalidBoundary),
            ("multipart/form-data; boundary=\"a\\\"b\"", .invalidBoundary),
            ("multipart/form-data; boundary=a@b", .invalidBoundary),
            ("multipart/form-data; boundary=a:b", .invalidBoundary),
            ("multipart/form-data; boundary=\"a*b\"", .invalidBoundary),
            ("multipart/form-data boundary=a", .invalidBoundary),
            ("multipart/form-data; charset=utf-8", .invalidBoundary),
        ] as [(String, MultipartError)]
    )
    func otherTypesAndMissingBoundariesAreToldApart(_ value: String, _ error: MultipartError) {
        #expect(throws: error) { try MultipartParser.boundary(ofContentType: value) }
    }
}
