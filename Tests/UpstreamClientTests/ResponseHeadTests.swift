import HTTPWire
import Testing

@testable import UpstreamClient

@Suite struct ResponseHeadTests {
    /// The head after all lines, and the first fault.
    private func read(
        _ text: String,
        isAnswerToHead: Bool = false,
        limit: Int = 4096
    ) -> (ResponseHead, ResponseHead.Fault?) {
        var head = ResponseHead(limit: limit, isAnswerToHead: isAnswerToHead)
        for line in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
            let bytes = Array(line) + [0x0A]
            if let fault = bytes.withUnsafeBytes({ head.take($0) }) { return (head, fault) }
        }
        return (head, nil)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", 200, ResponseHead.Framing.length(5)),
        ("HTTP/1.1 200 OK\nContent-Length: 5\n\n", 200, .length(5)),
        ("HTTP/1.1 200\r\ncontent-length:5\r\n\r\n", 200, .length(5)),
        ("HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n", 404, .length(0)),
        ("HTTP/1.0 200 OK\r\n\r\n", 200, .close),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n", 200, .chunked),
        ("HTTP/1.1 200 OK\r\nContent-Length: 7\r\nContent-Length: 7\r\n\r\n", 200, .length(7)),
        ("HTTP/1.1 204 No Content\r\n\r\n", 204, .none),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", 304, .none),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 500 Oops\r\nContent-Length: 1\r\n\r\n", 500, .length(1)),
        ("HTTP/1.1 103 Hints\r\nContent-Length: 9\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", 200, .close),
        ("HTTP/1.1 599 Gr\u{fc}n\r\nContent-Length: 1\r\n\r\n", 599, .length(1)),
    ])
    func validHeadIsReadWithItsFraming(_ text: String, _ status: Int, _ framing: ResponseHead.Framing) {
        let (head, fault) = self.read(text)
        #expect(fault == nil)
        #expect(head.isFinished)
        #expect(head.status == status)
        #expect(head.framing == framing)
    }

    @Test func answerToHeadHasNoContentWhateverItsLength() {
        let (head, _) = self.read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", isAnswerToHead: true)
        #expect(head.framing == .none)
        #expect(head.fields[HTTPField.Name(literal: "Content-Length")] == "5")
    }

    @Test func fieldsKeepOrderAndLoseSurroundingSpace() throws {
        let (head, _) = self.read("HTTP/1.1 200 OK\r\nB:  1 \t\r\nA:\r\nB: 2, 3\r\n\r\n")
        #expect(head.fields.count == 3)
        #expect(head.fields.values(of: try #require(HTTPField.Name("b"))) == ["1", "2, 3"])
        #expect(head.fields[try #require(HTTPField.Name("a"))]?.isEmpty == true)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nA : b\r\n\r\n", "HTTP/1.1 200 OK\r\n: b\r\n\r\n", "HTTP/1.1 200 OK\r\nA\r\n\r\n",
        "HTTP/1.1 200 OK\r\n A: b\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\u{0}\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n",
        "HTTP/1.1 200OK\r\n\r\n", "HTTP/1.1  200 OK\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "http/1.1 200 OK\r\n\r\n",
        "HTTP/2 200\r\n\r\n", "HTTP/1.1 101 Switching\r\n\r\n", "HTTP/1.1 99 Low\r\n\r\n", "HTTP/1.1 600 High\r\n\r\n",
        "HTTP/1.1 200 O\u{1}K\r\n\r\n", "\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0x10\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    ])
    func malformedHeadIsRefused(_ text: String) {
        let (head, fault) = self.read(text)
        #expect(head.isFinished == false)
        guard case .malformed = fault else {
            Issue.record("taken for a valid head")
            return
        }
    }

    @Test func sizeAndNumberOfFieldsAreBounded() {
        let long = "HTTP/1.1 200 OK\r\nA: " + String(repeating: "b", count: 75) + "\r\n\r\n"
        #expect(self.read(long, limit: 98).1 == .tooLarge)
        #expect(self.read(long, limit: 99).1 == nil)
        let field = "A: b\r\n"
        let many = "HTTP/1.1 200 OK\r\n" + String(repeating: field, count: 257) + "\r\n"
        #expect(self.read(many, limit: 65_536).1 == .tooLarge)
    }
}
