import HTTPWire
import TestSupport
import Testing

/// The chunked coding (RFC 9112, section 7.1) and content of known length.
@Suite struct HTTP1BodyDecoderTests {
    private enum Found: Equatable {
        case content(String, rest: Int)
        case unfinished(String)
        case malformed
        case tooLarge
    }

    /// Decodes what stands behind the head, in all cuttings.
    private func decode(_ text: String, framing: HTTPRequestHead.Framing = .chunked) -> Found {
        let bytes = Array(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        let whole = Self.run(framing) { take in try bytes.withUnsafeBytes(take) }
        let differences = ParserVerifier.differences(of: bytes, expected: whole) { Self.run(framing, feed: $0) }
        #expect(differences.isEmpty, "\(differences)")
        return whole
    }

    private static func run(
        _ framing: HTTPRequestHead.Framing,
        feed: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) -> Found {
        var decoder = HTTP1BodyDecoder(framing: framing)
        var content: [UInt8] = []
        var rest = 0
        do {
            try feed { bytes in
                var consumed = 0
                let wasComplete = decoder.isComplete
                let isComplete = try decoder.decode(bytes, consumed: &consumed) { content += $0 }
                #expect(isComplete == decoder.isComplete)
                #expect(isComplete || consumed == bytes.count, "bytes were left alone before the end")
                #expect(!wasComplete || consumed == 0, "bytes behind the content were taken")
                rest += bytes.count - consumed
            }
        } catch HTTPRequestBodyError.tooLarge {
            return .tooLarge
        } catch {
            return .malformed
        }
        let text = String(decoding: content, as: UTF8.self)
        return decoder.isComplete ? .content(text, rest: rest) : .unfinished(text)
    }

    @Test(arguments: [
        ("0\r\n\r\n", ""), ("000\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"),
        ("0005\r\nhello\r\n0\r\n\r\n", "hello"),
        ("a\r\n0123456789\r\n0\r\n\r\n", "0123456789"), ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
        ("1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n", "abcdefghijklmnopqrstuvwxyz"),
        ("5\r\nhello\r\n1\r\n \r\n6\r\nworld!\r\n0\r\n\r\n", "hello world!"),
        ("9\r\n\r\n0\r\n\r\nab\r\n0\r\n\r\n", "\r\n0\r\n\r\nab"),
        ("00000000000000000000000000000000000000005\r\nhello\r\n0\r\n\r\n", "hello"),
        // Extensions.
        ("5;ext\r\nhello\r\n0\r\n\r\n", "hello"), ("5;ext=val\r\nhello\r\n0\r\n\r\n", "hello"),
        ("5;a;b=c;d=\"e\"\r\nhello\r\n0\r\n\r\n", "hello"), ("5;a=\"b c\"\r\nhello\r\n0\r\n\r\n", "hello"),
        ("5;a=\"\"\r\nhello\r\n0\r\n\r\n", "hello"), ("5;a=\"a;b=\\\"c\\\\\"\r\nhello\r\n0\r\n\r\n", "hello"),
        ("5;a=\"\u{80}\u{FF}\t\"\r\nhello\r\n0\r\n\r\n", "hello"),
        ("5 ; a = b ; c = \"d\" ;e\r\nhello\r\n0\r\n\r\n", "hello"),
        ("5\t;\ta\t=\tb\r\nhello\r\n0\r\n\r\n", "hello"), ("5\r\nhello\r\n0;end=1\r\n\r\n", "hello"),
        // Trailers are checked and dropped, whatever they are called.
        ("5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n", "hello"),
        ("5\r\nhello\r\n0\r\nX-A: 1\r\nX-B:\r\nX-C: \t2 \r\n\r\n", "hello"),
        ("5\r\nhello\r\n0\r\nContent-Length: 999\r\nTransfer-Encoding: x\r\nHost: b\r\n\r\n", "hello"),
    ])
    func chunksAreJoined(_ text: String, _ content: String) {
        #expect(self.decode(text) == .content(content, rest: 0))
        #expect(self.decode(text + "GET /") == .content(content, rest: 5))
    }

    @Test(arguments: [
        // Sizes.
        "xyz\r\nhello\r\n0\r\n\r\n", "g\r\n", "\r\nhello", "0x5\r\nhello", "+5\r\nhello", "-5\r\nhello",
        "5\r\nhello\r\n-0\r\n\r\n",
        "1_0\r\n", " 5\r\nhello", "\t5\r\nhello", "5 \r\nhello\r\n0\r\n\r\n", "5\t\r\nhello", "1 0\r\n", "5,\r\nhello",
        "5.0\r\n",
        "\"5\"\r\n", "5 abc\r\nhello", "5=a\r\nhello", "5\u{0}\r\nhello", "5\u{B}\r\nhello", "\u{C}5\r\nhello",
        "5\u{B5}\r\n",
        ";a\r\nhello",
        // Line ends.
        "5\nhello\r\n0\r\n\r\n", "5\rhello\r\n0\r\n\r\n", "5\r\r\nhello", "5\n\rhello", "5\r\nhello0\r\n\r\n",
        "5\r\nhello\n0\r\n\r\n",
        "5\r\nhello\r0\r\n\r\n", "5\r\nhelloXX0\r\n\r\n", "5\r\nhello world\r\n0\r\n\r\n",
        "5\r\nhello\r\n\r\n0\r\n\r\n",
        "5\r\nhello\r\n0\n\r\n", "5\r\nhello\r\n0\r\n\n", "5\r\nhello\r\n0\r\n\rX",
        "8\r\nhello\r\n0\r\n\r\nGET / HTTP/1.1\r\n",
        // Extensions.
        "5;\r\nhello", "5;;a\r\nhello", "5;=a\r\nhello", "5;a=\r\nhello", "5;a[b=c\r\nhello", "5;a=\"b\r\nhello",
        "5;a=\"b\"c\r\nhello",
        "5;a=b\"c\"\r\nhello", "5;a\u{1}b\r\nhello", "5;a\u{0}b\r\nhello", "5;a\nhello", "5;a\rb\r\nhello",
        "5;a=\"\n\"\r\nhello",
        "5;a=\"\\\n\"\r\nhello", "5;a b\r\nhello", "5;a=b c\r\nhello", "5;a \r\nhello", "5;a=b \r\nhello",
        "5;a=\"b\" \r\nhello",
        "5;a==b\r\nhello", "5;a=b=c\r\nhello", "5; \r\nhello", "5;a=\u{80}\r\nhello", "5;a=\"\u{7F}\"\r\nhello",
        // Trailers.
        "0\r\ngarbage\r\n\r\n", "0\r\nX-A : 1\r\n\r\n", "0\r\n: 1\r\n\r\n", "0\r\nX(A: 1\r\n\r\n",
        "0\r\nX-A: a\u{0}b\r\n\r\n",
        "0\r\nX-A: a\rb\r\n\r\n", "0\r\nX-A: a\r\n b\r\n\r\n", "0\r\nX-A: a\n\r\n", "0\r\n X-A: a\r\n\r\n",
    ])
    func brokenChunksAreRefused(_ text: String) {
        #expect(self.decode(text) == .malformed)
    }

    @Test(arguments: [
        "100000001\r\nhello", "7FFFFFFFFFFFFFFF\r\nhello", "8000000000000000\r\nhello", "FFFFFFFFFFFFFFFF\r\n",
        "FFFFFFFFFFFFFFFE\r\n", "10000000000000005\r\nhello", "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF\r\n",
        "1\r\nx\r\n100000000\r\n",
    ])
    func hugeChunksAreTooLarge(_ text: String) {
        #expect(self.decode(text) == .tooLarge)
    }

    @Test(arguments: [
        ("", ""), ("5", ""), ("5\r", ""), ("5\r\n", ""), ("5\r\nhel", "hel"), ("5\r\nhello", "hello"),
        ("5\r\nhello\r", "hello"),
        ("5\r\nhello\r\n", "hello"), ("5\r\nhello\r\n0\r\n", "hello"), ("5\r\nhello\r\n0\r\nX: 1\r\n", "hello"),
        ("5\r\nhello\r\n0\r\n\r", "hello"), ("5;a=\"", ""),
    ])
    func anEarlyEndIsNoEnd(_ text: String, _ content: String) {
        #expect(self.decode(text) == .unfinished(content))
    }

    @Test func aLengthIsCounted() {
        #expect(self.decode("hello", framing: .length(5)) == .content("hello", rest: 0))
        #expect(self.decode("hello!", framing: .length(5)) == .content("hello", rest: 1))
        #expect(self.decode("hell", framing: .length(5)) == .unfinished("hell"))
        #expect(self.decode("hello", framing: .length(0)) == .content("", rest: 5))
        #expect(self.decode("hello", framing: .none) == .content("", rest: 5))
        #expect(self.decode("", framing: .none) == .content("", rest: 0))
    }

    @Test func whatIsStillToComeIsKnownBeforeItComes() throws {
        var consumed = 0
        var known = HTTP1BodyDecoder(framing: .length(1000))
        #expect(known.announcedBytes == 1000)
        _ = try [UInt8](repeating: 1, count: 300).withUnsafeBytes { try known.decode($0, consumed: &consumed) { _ in } }
        #expect(known.announcedBytes == 700)

        var chunked = HTTP1BodyDecoder(framing: .chunked)
        #expect(chunked.announcedBytes == 0)
        _ = try Array("3E8\r\nab".utf8).withUnsafeBytes { try chunked.decode($0, consumed: &consumed) { _ in } }
        #expect(chunked.announcedBytes == 998)
    }

    /// Pieces are parts of the lent bytes: nothing is copied.
    @Test func piecesLieInsideTheLentBytes() throws {
        let bytes = Array("5\r\nhello\r\n3;x\r\nabc\r\n0\r\n\r\n".utf8)
        try bytes.withUnsafeBytes { lent in
            var decoder = HTTP1BodyDecoder(framing: .chunked)
            var consumed = 0
            var offsets: [Int] = []
            let start = try #require(lent.baseAddress)
            _ = try decoder.decode(lent, consumed: &consumed) { piece in
                offsets.append(piece.baseAddress.map { start.distance(to: $0) } ?? -1)
            }
            #expect(offsets == [3, 15])
            #expect(consumed == bytes.count)
        }
    }

    @Test func whatTheConsumerThrowsComesOutAndSaysHowFarItCame() {
        struct Enough: Error {}
        var decoder = HTTP1BodyDecoder(framing: .chunked)
        var consumed = 0
        #expect(throws: Enough.self) {
            try Array("5\r\nhello\r\n0\r\n\r\n".utf8).withUnsafeBytes {
                _ = try decoder.decode($0, consumed: &consumed) { _ in throw Enough() }
            }
        }
        #expect(consumed == 8)
    }

    @Test func anErrorStays() {
        var decoder = HTTP1BodyDecoder(framing: .chunked)
        var consumed = 0
        for text in ["x", "0\r\n\r\n"] {
            #expect(throws: HTTPRequestBodyError.malformed("A chunk does not begin with a hexadecimal size.")) {
                try Array(text.utf8).withUnsafeBytes { _ = try decoder.decode($0, consumed: &consumed) { _ in } }
            }
        }
    }
}
