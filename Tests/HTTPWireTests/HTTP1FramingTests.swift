import HTTPWire
import TestSupport
import Testing

/// Where a message ends, and whether another may follow (RFC 9112, sections 6, 7 and 9).
@Suite struct HTTP1FramingTests {
    private func outcome(_ fields: String, _ content: String = "", version: String = "1.1") -> HTTP1Transcript {
        let (whole, problems) = HTTP1Transcript.verified(
            "POST /a HTTP/\(version)\r\nHost: a\r\n\(fields)\r\n\(content)"
        )
        #expect(problems.isEmpty, "\(problems)")
        return whole
    }

    private func request(_ transcript: HTTP1Transcript) throws -> HTTP1Transcript.Request {
        guard case .request(let request) = try #require(transcript.outcomes.first) else {
            throw UnexpectedOutcome(transcript: transcript)
        }
        return request
    }

    struct UnexpectedOutcome: Error { let transcript: HTTP1Transcript }

    // MARK: Content-Length

    @Test(arguments: [
        ("Content-Length: 5\r\n", 5), ("Content-Length:5\r\n", 5), ("content-length: \t5 \t\r\n", 5),
        ("CONTENT-LENGTH: 0005\r\n", 5), ("Content-Length: 0\r\n", 0), ("Content-Length: 00\r\n", 0),
        ("Content-Length: 010\r\n", 10), ("Content-Length: 0000000000000000000000000000005\r\n", 5),
        ("Content-Length-X: 9\r\nContent-Length: 5\r\nX-Content-Length: 7\r\n", 5), ("Content_Length: 4\r\n", 0),
        ("Connection: content-length\r\nContent-Length: 5\r\n", 5),
    ])
    func lengthFramesTheContent(_ fields: String, _ length: Int) throws {
        let content = String("0123456789".prefix(length))
        let whole = self.outcome(fields, content + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(whole.outcomes.count == 2)
        #expect(try self.request(whole).content == Array(content.utf8))
        guard case .request(let next) = whole.outcomes.last else {
            Issue.record("no second request: \(whole)")
            return
        }
        #expect(next.path == "/next")
    }

    @Test(arguments: [
        "abc", "+5", "-5", "-0", "5.0", "5e0", "0x5", "A", "1_0", "1 0", "1\t0", "", " \t ", "5;a=b", "\"5\"",
        "\u{A0}5",
        "\u{EF}\u{BC}\u{95}", "5, 6", "5, 5", "5,", ", 5", "5,5,6",
    ])
    func aLengthThatIsNoNumberIsRefused(_ value: String) {
        #expect(self.outcome("Content-Length: \(value)\r\n", "hello").outcomes == [.rejected(400)])
    }

    @Test(arguments: [
        "Content-Length: 5\r\nContent-Length: 6\r\n", "Content-Length: 5\r\nContent-Length: 5\r\n",
        "content-length: 5\r\nX-A: b\r\nCONTENT-LENGTH: 0\r\n", "Content-Length: 5\r\nContent-Length:\r\n",
    ])
    func severalLengthsAreRefused(_ fields: String) {
        #expect(self.outcome(fields, "hello").outcomes == [.rejected(400)])
    }

    @Test(arguments: [
        "4294967297", "1000000000000", "9223372036854775807", "9223372036854775808", "18446744073709551621",
        "99999999999999999999999999999999999999999999999999",
    ])
    func aHugeLengthIsTooLarge(_ value: String) {
        #expect(self.outcome("Content-Length: \(value)\r\n", "hello").outcomes == [.rejected(413)])
    }

    @Test func theLargestLengthIsConfigured() throws {
        var limits = HTTP1Limits()
        limits.contentBytes = 5
        let accepted = HTTP1Transcript(
            Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello".utf8),
            limits: limits
        )
        #expect(try self.request(accepted).content == Array("hello".utf8))
        let refused = HTTP1Transcript(
            Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nhello!".utf8),
            limits: limits
        )
        #expect(refused.outcomes == [.rejected(413)])
    }

    // MARK: Transfer-Encoding

    @Test(arguments: [
        "chunked", "CHUNKED", "Chunked", "\tchunked \t", ", chunked", "chunked,", ",, chunked ,,",
    ])
    func chunkedIsUnderstood(_ value: String) throws {
        let whole = self.outcome(
            "Transfer-Encoding:\(value)\r\n",
            "5\r\nhello\r\n0\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        #expect(whole.outcomes.count == 2)
        let request = try self.request(whole)
        #expect(request.framing == .chunked)
        #expect(request.content == Array("hello".utf8))
    }

    @Test(arguments: [
        ("identity", 400), ("xpigeon", 400), ("gzip", 400), ("xchunked", 400), ("chunkedx", 400), ("x chunked", 400),
        ("chunked x", 400), ("chunked, gzip", 400), ("chunked, identity", 400), ("chunked, chunked", 400),
        ("chunked;q=1", 400), ("chunked; a=b", 400), ("", 400), (",", 400), ("\"chunked\"", 400),
        ("\u{A0}chunked", 400),
        ("chunked\r\nTransfer-Encoding: identity", 400), ("chunked\r\nTransfer-Encoding: chunked", 400),
        ("\r\nTransfer-Encoding: chunked", 400), ("chunked\r\nTransfer-Encoding:", 400),
        ("xpigeon, chunked", 501), ("gzip, chunked", 501), ("xpigeon\r\nTransfer-Encoding: chunked", 501),
    ])
    func anotherCodingIsRefused(_ value: String, _ status: Int) {
        #expect(
            self.outcome("Transfer-Encoding: \(value)\r\n", "5\r\nhello\r\n0\r\n\r\n").outcomes == [.rejected(status)]
        )
    }

    @Test(arguments: [
        "Content-Length: 15\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 15\r\n",
        "Transfer-Encoding: identity\r\nContent-Length: 5\r\n", "Content-Length: abc\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 0\r\nX: y\r\ntransfer-encoding: CHUNKED\r\n",
    ])
    func lengthAndCodingContradictEachOther(_ fields: String) {
        #expect(self.outcome(fields, "5\r\nhello\r\n0\r\n\r\n").outcomes == [.rejected(400)])
    }

    @Test func version10KnowsNoCoding() {
        let whole = self.outcome("Transfer-Encoding: chunked\r\n", "0\r\n\r\n", version: "1.0")
        #expect(whole.outcomes == [.rejected(400)])
    }

    // MARK: Persistence

    @Test(arguments: [
        ("1.1", "", true), ("1.1", "Connection: keep-alive\r\n", true), ("1.1", "Connection: close\r\n", false),
        ("1.1", "connection:CLOSE\r\n", false), ("1.1", "Connection: close, x-a\r\n", false),
        ("1.1", "Connection: x-a,close\r\n", false), ("1.1", "Connection: , close\r\n", false),
        ("1.1", "Connection: x-a\r\nConnection: close\r\n", false), ("1.1", "Connection: keep-alive, close\r\n", false),
        ("1.1", "Connection: close, keep-alive\r\n", false), ("1.1", "Connection: closed\r\n", true),
        ("1.1", "Connection: x-close\r\n", true), ("1.1", "Connection:\r\n", true),
        ("1.1", "Connection: upgrade\r\n", true),
        ("1.1", "Proxy-Connection: close\r\n", true), ("1.0", "", false), ("1.0", "Connection: keep-alive\r\n", true),
        ("1.0", "Connection: Keep-Alive\r\n", true), ("1.0", "Connection: keep-alive, close\r\n", false),
        ("1.0", "Connection: x\r\n", false), ("1.2", "", true),
    ])
    func persistence(_ version: String, _ fields: String, _ isPersistent: Bool) throws {
        let whole = self.outcome(fields, "", version: version)
        #expect(try self.request(whole).isPersistent == isPersistent)
    }

    // MARK: Expect

    @Test(arguments: [
        ("1.1", "Content-Length: 5\r\nExpect: 100-continue\r\n", true),
        ("1.1", "Content-Length: 5\r\nexpect: 100-CONTINUE\r\n", true),
        ("1.1", "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n", true),
        ("1.1", "Content-Length: 5\r\nExpect: 100-continue, 100-continue\r\n", true),
        ("1.1", "Content-Length: 0\r\nExpect: 100-continue\r\n", false), ("1.1", "Expect: 100-continue\r\n", false),
        ("1.1", "Content-Length: 5\r\n", false), ("1.0", "Content-Length: 5\r\nExpect: 100-continue\r\n", false),
        ("1.1", "Content-Length: 5\r\nExpect:\r\n", false),
    ])
    func whoWaitsForContinue(_ version: String, _ fields: String, _ waits: Bool) throws {
        let isChunked = fields.contains("chunked")
        let whole = self.outcome(
            fields,
            isChunked ? "0\r\n\r\n" : fields.contains(": 5") ? "hello" : "",
            version: version
        )
        #expect(try self.request(whole).expectsContinue == waits)
    }

    @Test(arguments: ["x-unknown", "100-continue; a=b", "100-continue, x", "100", "100-continue=1"])
    func anotherExpectationFails(_ value: String) {
        #expect(self.outcome("Content-Length: 5\r\nExpect: \(value)\r\n", "hello").outcomes == [.rejected(417)])
    }

    @Test func brokenFramingGoesBeforeAnExpectation() {
        #expect(self.outcome("Content-Length: x\r\nExpect: x\r\n").outcomes == [.rejected(400)])
    }

    // MARK: Several messages

    @Test func messagesFollowEachOtherWithoutASeam() throws {
        let text =
            "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
            + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n"
            + "POST /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n1;x\r\nf\r\n0\r\nX-T: 1\r\n\r\n\r\n"
            + "HEAD /4 HTTP/1.1\r\nHost: b\r\nX: y\r\n\r\n"
            + "POST /5 HTTP/1.0\r\nContent-Length: 0\r\n\r\nGET /6 HTTP/1.1\r\nHost: a\r\n\r\n"
        let (whole, problems) = HTTP1Transcript.verified(text)
        #expect(problems.isEmpty, "\(problems)")
        var seen: [String] = []
        for case .request(let request) in whole.outcomes {
            seen.append("\(request.method) \(request.path) \(String(decoding: request.content, as: UTF8.self))")
        }
        #expect(seen == ["POST /1 abc", "GET /2 ", "POST /3 def", "HEAD /4 ", "POST /5 "])
        #expect(whole.outcomes.count == 5)
    }

    @Test func emptyLinesAreCountedForEachRequestAnew() {
        let text = String(repeating: "\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 6)
        let (whole, problems) = HTTP1Transcript.verified(text)
        #expect(problems.isEmpty, "\(problems)")
        #expect(whole.outcomes.count == 6)
        #expect(!whole.outcomes.contains(.rejected(400)))
    }

    @Test func contentThatLooksLikeARequestStaysContent() throws {
        let inner = "GET /inner HTTP/1.1\r\nHost: b\r\n\r\n"
        let whole = self.outcome("Content-Length: \(inner.utf8.count)\r\n", inner)
        #expect(whole.outcomes.count == 1)
        #expect(try self.request(whole).content == Array(inner.utf8))
    }

    @Test func aRefusalIsTheEndOfTheConnection() {
        let good = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        let (whole, problems) = HTTP1Transcript.verified(good + "GET / HTTP/1.1\r\nHost : a\r\n\r\n" + good)
        #expect(problems.isEmpty, "\(problems)")
        #expect(whole.outcomes.count == 2)
        #expect(whole.outcomes.last == .rejected(400))

        var parser = HTTP1RequestParser()
        var consumed = 0
        for text in ["GET / HTTP/2.0\r\n", good] {
            let error = #expect(throws: HTTPRejection.self) {
                try Array(text.utf8).withUnsafeBytes { _ = try parser.parse($0, consumed: &consumed) }
            }
            #expect(error?.status.code == 505)
        }
    }
}
