import HTTPWire
import Testing

@testable import UpstreamClient

@Suite struct HandshakeAnswerReaderTests {
    /// Reads an answer that comes in two pieces; how far it is in the end.
    private func read(
        _ answer: [UInt8],
        cutAt cut: Int,
        maximumBody: Int = 100
    ) throws -> (HandshakeAnswerReader, HandshakeAnswerReader.Progress) {
        var reader = HandshakeAnswerReader(maximumHead: 1000, maximumBody: maximumBody)
        var progress = HandshakeAnswerReader.Progress.partial
        for piece in [answer[..<cut], answer[cut...]] where progress == .partial && !piece.isEmpty {
            progress = try Array(piece).withUnsafeBytes { try reader.take($0) }
        }
        return (reader, progress)
    }

    @Test func framesBeginBehindTheHeadWhereverItIsCut() throws {
        let interim = "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"
        let head = Array("\(interim)HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n".utf8)
        let answer = head + [0x81, 0x00]
        for cut in 0...head.count {
            let (reader, progress) = try self.read(answer, cutAt: cut)
            #expect(reader.head?.status == 101)
            // Seen from the second piece, or from the first where that held all of the head.
            #expect(progress == .switched(consumed: cut == head.count ? cut : head.count - cut))
        }
    }

    @Test(arguments: [
        "Content-Length: 5\r\n\r\nabcdefgh", "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n",
    ])
    func contentOfARefusalEndsAsItSaysWhereverItIsCut(rest: String) throws {
        let answer = Array("HTTP/1.1 403 Forbidden\r\n\(rest)".utf8)
        for cut in 0...answer.count {
            let (reader, progress) = try self.read(answer, cutAt: cut)
            #expect(progress == .refused)
            #expect(reader.body == Array("abcde".utf8))
        }
    }

    @Test func contentWithoutALengthGoesOnUntilItIsEnough() throws {
        let answer = Array("HTTP/1.1 500 Internal Server Error\r\n\r\nabcdefgh".utf8)
        #expect(try self.read(answer, cutAt: 10).1 == .partial)
        let (reader, progress) = try self.read(answer, cutAt: 10, maximumBody: 3)
        #expect(progress == .refused)
        #expect(reader.body == Array("abc".utf8))
    }

    @Test(arguments: [
        "Content-Length: 8\r\n\r\nabcdefgh",
        "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n2\r\ncd\r\n4\r\nefgh\r\n0\r\n\r\n",
    ])
    func noMoreContentIsKeptThanIsWanted(rest: String) throws {
        let answer = Array("HTTP/1.1 403 Forbidden\r\n\(rest)".utf8)
        for cut in 0...answer.count {
            let (reader, progress) = try self.read(answer, cutAt: cut, maximumBody: 3)
            #expect(progress == .refused)
            #expect(reader.body == Array("abc".utf8))
        }
    }

    @Test func contentThatBreaksItsCodingIsCutOff() throws {
        let answer = Array("HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nnonsense".utf8)
        let (reader, progress) = try self.read(answer, cutAt: 0)
        #expect(progress == .refused)
        #expect(reader.body == Array("ab".utf8))
    }

    @Test func headsThatAreTooLargeAreRefused() {
        let answer = Array("HTTP/1.1 101 Switching Protocols\r\nA: \(String(repeating: "a", count: 2000))".utf8)
        #expect(throws: AnswerReader.Fault.tooLarge("the head of the answer is too large")) {
            try self.read(answer, cutAt: 500)
        }
    }
}

@Suite struct WebSocketURLTests {
    @Test(arguments: [
        ("wss://platform.example", "https://platform.example", "platform.example", "/"),
        (
            "wss://platform.example:8443/ws?a=%2B", "https://platform.example:8443/ws?a=%2B", "platform.example:8443",
            "/ws?a=%2B"
        ),
        ("WSS://platform.example?a=1", "httpS://platform.example?a=1", "platform.example", "/?a=1"),
        ("ws://[::1]:80/", "http://[::1]:80/", "[::1]:80", "/"),
    ])
    func partsAreFound(url: String, transport: String, authority: String, target: String) throws {
        let parsed = try WebSocketURL(checking: url)
        #expect(parsed.transportURL == transport)
        #expect(parsed.isSecure == transport.lowercased().hasPrefix("https"))
        #expect(parsed.authority == authority)
        #expect(parsed.target == target)
    }

    @Test(arguments: [
        "", "ws", "https://a/", "ws://platform.example/", "wss://user@a/", "wss://a/ b", "wss://a/#x", "wsx://a/",
    ])
    func othersAreRefused(url: String) {
        #expect(throws: WebSocketURL.Fault.self) { try WebSocketURL(checking: url) }
    }
}
