import HTTPWire
import TestSupport
import Testing

@Suite struct HTTP1ResponseHeadParserTests {
    /// What one answer comes to.
    private struct Outcome: Equatable {
        var status: Int?
        var fields: [String] = []
        var framing: HTTPRequestHead.Framing?
        var rest: [UInt8] = []
        var isRefused = false
    }

    private static func outcome(_ feed: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) -> Outcome {
        var parser = HTTP1ResponseHeadParser()
        var outcome = Outcome()
        do {
            try feed { bytes in
                guard outcome.status == nil else {
                    outcome.rest += bytes
                    return
                }
                var consumed = 0
                guard let head = try parser.parse(bytes, consumed: &consumed) else { return }
                outcome.status = head.status
                outcome.framing = head.framing
                outcome.fields = (0..<head.fields.count).map {
                    "\(head.fields.name(at: $0))=\(head.fields.value(at: $0))"
                }
                outcome.rest += bytes[consumed...]
            }
        } catch {
            outcome.isRefused = true
        }
        return outcome
    }

    private func expect(
        _ text: String,
        _ expected: Outcome,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let differences = ParserVerifier.differences(of: Array(text.utf8), expected: expected, run: Self.outcome)
        #expect(differences.isEmpty, "\(differences)", sourceLocation: sourceLocation)
    }

    @Test func anAnswerIsReadUpToItsContent() {
        self.expect(
            "HTTP/1.1 101 Switching Protocols\r\nA: b \r\nC:\r\n\r\n\u{1}\u{2}",
            Outcome(status: 101, fields: ["A=b", "C="], framing: HTTPRequestHead.Framing.none, rest: [1, 2])
        )
        self.expect(
            "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n{}",
            Outcome(status: 401, fields: ["Content-Length=2"], framing: .length(2), rest: Array("{}".utf8))
        )
        self.expect(
            "HTTP/1.0 503\r\nTransfer-Encoding: chunked\r\n\r\n",
            Outcome(status: 503, fields: ["Transfer-Encoding=chunked"], framing: .chunked)
        )
        self.expect("HTTP/1.1 502 \r\n\r\nx", Outcome(status: 502, framing: nil, rest: Array("x".utf8)))
    }

    @Test func interimAnswersArePassedOver() {
        self.expect(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\nA: b\r\n\r\n",
            Outcome(status: 204, fields: ["A=b"], framing: HTTPRequestHead.Framing.none)
        )
    }

    @Test(arguments: [
        "HTTP/2 200 OK\r\n\r\n", "SSH-2.0-OpenSSH\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 099 OK\r\n\r\n", "HTTP/1.1 600 OK\r\n\r\n", "HTTP/1.1 200 OK\n\n", "HTTP/1.1 200 OK\r\r\n",
        "HTTP/1.1 200 OK\r\n A: b\r\n\r\n", "HTTP/1.1 200 OK\r\nA b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
    ])
    func anythingElseIsRefused(_ text: String) {
        self.expect(text, Outcome(isRefused: true))
    }

    @Test func aHeadWithoutEndIsRefused() {
        let text = "HTTP/1.1 200 " + String(repeating: "a", count: 70_000)
        let bytes = Array(text.utf8)
        #expect(Self.outcome { take in try bytes.withUnsafeBytes(take) }.isRefused)
    }
}
