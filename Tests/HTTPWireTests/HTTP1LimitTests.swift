import HTTPWire
import TestSupport
import Testing

/// What is too large is refused where the limit is passed, without waiting for its end.
@Suite struct HTTP1LimitTests {
    private static var small: HTTP1Limits {
        var limits = HTTP1Limits()
        limits.requestLine = 40
        limits.headBytes = 200
        limits.fieldCount = 5
        limits.chunkLine = 20
        limits.chunkOverhead = 30
        limits.trailerBytes = 50
        return limits
    }

    private func outcomes(_ text: String) -> [HTTP1Transcript.Outcome] {
        let (whole, problems) = HTTP1Transcript.verified(text, limits: Self.small)
        #expect(problems.isEmpty, "\(problems)")
        return whole.outcomes
    }

    private func isAccepted(_ text: String) -> Bool {
        if case .request? = self.outcomes(text).first { true } else { false }
    }

    @Test func aRequestLineOfTheLimitPassesAndOneByteMoreDoesNot() {
        // "GET ", the path and " HTTP/1.1" are 40 bytes with a path of 27.
        let path = "/" + String(repeating: "a", count: 26)
        #expect(self.isAccepted("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n"))
        #expect(self.outcomes("GET \(path)b HTTP/1.1\r\nHost: a\r\n\r\n") == [.rejected(414)])
    }

    @Test(arguments: [
        "GET /" + String(repeating: "a", count: 60), "GET /?" + String(repeating: "a", count: 60),
        String(repeating: "A", count: 60),
        "GET / HTTP/1.1" + String(repeating: "x", count: 0) + "\r\n"
            + "X: " + String(repeating: "a", count: 300), "GET / HTTP/1.1\r\n" + String(repeating: "a", count: 300),
        "GET / HTTP/1.1\r\nX:" + String(repeating: " ", count: 300),
        "GET / HTTP/1.1\r\n" + String(repeating: "X: b\r\n", count: 9),
    ])
    func whatNeverEndsIsRefused(_ text: String) {
        let outcomes = self.outcomes(text)
        #expect(outcomes == [.rejected(text.contains("\r\n") ? 431 : 414)])
    }

    @Test func aHeadOfTheLimitPassesAndOneByteMoreDoesNot() {
        let start = "GET / HTTP/1.1\r\nHost: a\r\nX: "
        let value = String(repeating: "v", count: 200 - start.utf8.count - 4)
        #expect(self.isAccepted(start + value + "\r\n\r\n"))
        #expect(self.outcomes(start + value + "w\r\n\r\n") == [.rejected(431)])
        // An error within the limit is still an error.
        #expect(self.outcomes("GET / HTTP/1.1\r\nHost : a\r\nX: " + value + "w\r\n\r\n") == [.rejected(400)])
        // One behind it is never seen.
        #expect(self.outcomes(start + value + "wwwww\u{0}\r\n\r\n") == [.rejected(431)])
    }

    @Test func theFieldsOfTheLimitPassAndOneMoreDoesNot() {
        let start = "GET / HTTP/1.1\r\nHost: a\r\nA: b\r\nA: b\r\nA: b\r\nA: b\r\n"
        #expect(self.isAccepted(start + "\r\n"))
        #expect(self.outcomes(start + "A: b\r\n\r\n") == [.rejected(431)])
        #expect(self.outcomes(start + "A") == [.rejected(431)])
    }

    @Test func theDefaultsBearWhatClientsSend() {
        let long = "GET /?q=" + String(repeating: "a", count: 7900) + " HTTP/1.1\r\nHost: a\r\n\r\n"
        let many = "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X-A: b\r\n", count: 99) + "\r\n"
        let cookie = "GET / HTTP/1.1\r\nHost: a\r\nCookie: " + String(repeating: "a=b; ", count: 9000) + "\r\n\r\n"
        for text in [long, many, cookie] {
            guard case .request = HTTP1Transcript(Array(text.utf8)).outcomes.first else {
                Issue.record("refused: \(text.prefix(40))")
                return
            }
        }
        let tooMany = "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X-A: b\r\n", count: 100) + "\r\n"
        #expect(HTTP1Transcript(Array(tooMany.utf8)).outcomes == [.rejected(431)])
        let tooLarge = "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "v", count: 65536) + "\r\n\r\n"
        #expect(HTTP1Transcript(Array(tooLarge.utf8)).outcomes == [.rejected(431)])
        let tooLong = "GET /" + String(repeating: "v", count: 16384)
        #expect(HTTP1Transcript(Array(tooLong.utf8)).outcomes == [.rejected(414)])
    }

    // MARK: Chunks

    private func chunked(_ content: String) -> HTTP1Transcript.Outcome? {
        self.outcomes("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + content).last
    }

    private func isRefused(_ outcome: HTTP1Transcript.Outcome?) -> Bool {
        if case .malformedContent(_, isTooLarge: false)? = outcome { true } else { false }
    }

    private func isWhole(_ outcome: HTTP1Transcript.Outcome?) -> Bool {
        if case .request? = outcome { true } else { false }
    }

    @Test func theLineOfAChunkIsBounded() {
        // 20 bytes with CRLF.
        #expect(self.isWhole(self.chunked("5;a=" + String(repeating: "b", count: 14) + "\r\nhello\r\n0\r\n\r\n")))
        #expect(self.isRefused(self.chunked("5;a=" + String(repeating: "b", count: 15) + "\r\nhello\r\n0\r\n\r\n")))
        #expect(self.isRefused(self.chunked("5;a=" + String(repeating: "b", count: 40))))
        #expect(self.isRefused(self.chunked(String(repeating: "0", count: 40))))
    }

    @Test func extensionsMayNotOutweighTheContent() {
        let heavy = "1;abcdefghij\r\nx\r\n"
        #expect(self.isWhole(self.chunked(heavy + heavy + "0\r\n\r\n")))
        #expect(self.isRefused(self.chunked(String(repeating: heavy, count: 10) + "0\r\n\r\n")))
        // As many bytes of content as of extensions are always right.
        let even = "f;abcdefghij\r\n0123456789abcde\r\n"
        #expect(self.isWhole(self.chunked(String(repeating: even, count: 20) + "0\r\n\r\n")))
        #expect(self.isRefused(self.chunked(String(repeating: "00000000001\r\nx\r\n", count: 20) + "0\r\n\r\n")))
    }

    @Test func theTrailerSectionIsBounded() {
        let value = String(repeating: "v", count: 50 - 7)
        #expect(self.isWhole(self.chunked("0\r\nX: " + value + "\r\n\r\n")))
        #expect(self.isRefused(self.chunked("0\r\nX: " + value + "w\r\n\r\n")))
        #expect(self.isRefused(self.chunked("0\r\n" + String(repeating: "X:\r\n", count: 6) + "\r\n")))
        #expect(self.isRefused(self.chunked("0\r\nX: " + String(repeating: "v", count: 100))))
    }

    @Test func theSumOfTheChunksIsBounded() throws {
        var limits = HTTP1Limits()
        limits.contentBytes = 6
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        let (accepted, _) = HTTP1Transcript.verified(head + "3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n", limits: limits)
        #expect(self.isWhole(accepted.outcomes.last))
        let (refused, problems) = HTTP1Transcript.verified(head + "3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n", limits: limits)
        #expect(problems.isEmpty, "\(problems)")
        guard case .malformedContent(let request, isTooLarge: true)? = refused.outcomes.last else {
            Issue.record("not refused: \(refused)")
            return
        }
        #expect(request.content == Array("abc".utf8))
    }
}
