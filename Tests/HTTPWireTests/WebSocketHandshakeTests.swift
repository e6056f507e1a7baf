import HTTPWire
import Testing

@Suite struct WebSocketServerHandshakeTests {
    /// The request of RFC 6455, section 1.3, with changes to its lines.
    private func head(_ change: (inout [String]) -> Void = { _ in }) throws -> HTTPRequestHead {
        var lines = [
            "GET /chat HTTP/1.1", "Host: server.example.com", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Origin: http://example.com",
            "Sec-WebSocket-Protocol: chat, superchat", "Sec-WebSocket-Version: 13",
        ]
        change(&lines)
        var parser = HTTP1RequestParser()
        var consumed = 0
        let bytes = Array((lines + ["", ""]).joined(separator: "\r\n").utf8)
        return try #require(try bytes.withUnsafeBytes { try parser.parse($0, consumed: &consumed) })
    }

    @Test func theRequestOfTheStandardIsAnswered() throws {
        let head = try self.head()
        #expect(WebSocketServerHandshake.isRequested(by: head))
        let handshake = try WebSocketServerHandshake(head)
        #expect(handshake.key == "dGhlIHNhbXBsZSBub25jZQ==")
        #expect(handshake.subprotocols == ["chat", "superchat"])
        #expect(handshake.subprotocol(of: ["other", "superchat", "chat"]) == "superchat")
        #expect(handshake.subprotocol(of: ["other"]) == nil)
        let response = handshake.response(accept: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", subprotocol: "chat")
        var bytes: [UInt8] = []
        HTTP1ResponseEncoder.encodeHead(
            of: response,
            to: .get,
            version: .http11,
            keepAlive: true,
            date: "",
            into: &bytes
        )
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: chat\r\n\r\n"
        )
    }

    @Test func listsAndCaseAreRead() throws {
        let head = try self.head { lines in
            lines[2] = "upgrade: h2c, WebSocket"
            lines[3] = "connection: keep-alive, upgrade"
            lines[6] =
                "Sec-WebSocket-Protocol: a\r\nSec-WebSocket-Protocol: , b\r\n"
                + "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"
        }
        let handshake = try WebSocketServerHandshake(head)
        #expect(handshake.subprotocols == ["a", "b"])
        // Extensions are declined by silence.
        #expect(!handshake.response(accept: "x").fields.contains(.secWebSocketExtensions))
    }

    @Test(
        arguments: [
            (0, "POST /chat HTTP/1.1", .method, 405), (0, "HEAD /chat HTTP/1.1", .method, 405),
            (0, "GET /chat HTTP/1.0", .protocolVersion, 400),
            (2, "Upgrade: h2c", .upgrade, 426), (2, "X: y", .upgrade, 426), (2, "Upgrade: websockets", .upgrade, 426),
            (3, "Connection: keep-alive", .upgrade, 426), (3, "X: y", .upgrade, 426),
            (4, "X: y", .key, 400), (4, "Sec-WebSocket-Key:", .key, 400),
            (4, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ", .key, 400),
            (4, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25j", .key, 400),
            (4, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=!", .key, 400),
            (4, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub2-jZQ==", .key, 400),
            (
                4, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", .key,
                400
            ),
            (5, "Content-Length: 1", .content, 400), (5, "Transfer-Encoding: chunked", .content, 400),
            (6, "Sec-WebSocket-Protocol: chat, chat", .subprotocols, 400),
            (6, "Sec-WebSocket-Protocol: a b", .subprotocols, 400), (6, "Sec-WebSocket-Protocol:", .subprotocols, 400),
            (7, "Sec-WebSocket-Version: 8", .version, 426), (7, "X: y", .version, 426),
            (7, "Sec-WebSocket-Version: 13, 8", .version, 426),
            (7, "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Version: 13", .version, 426),
        ] as [(Int, String, WebSocketHandshakeError, Int)]
    )
    func anythingElseIsRefused(_ line: Int, _ text: String, _ error: WebSocketHandshakeError, _ status: Int) throws {
        let head = try self.head { $0[line] = text }
        #expect(throws: error) { try WebSocketServerHandshake(head) }
        #expect(error.status.code == status)
    }

    @Test func theAnswerToAnotherVersionNamesOurs() {
        #expect(WebSocketHandshakeError.version.fields[.secWebSocketVersion] == "13")
        #expect(WebSocketHandshakeError.upgrade.fields[.upgrade] == "websocket")
        #expect(WebSocketHandshakeError.method.fields[.allow] == "GET")
    }

    @Test func onlyListedPagesMayAsk() throws {
        let head = try self.head()
        _ = try WebSocketServerHandshake(head, origins: .only(["https://a.example", "http://example.com"]))
        #expect(throws: WebSocketHandshakeError.origin) {
            try WebSocketServerHandshake(head, origins: .only(["https://example.com"]))
        }
        let opaque = try self.head { $0[5] = "Origin: null" }
        #expect(throws: WebSocketHandshakeError.origin) { try WebSocketServerHandshake(opaque, origins: .only([])) }
        // What is no browser says nothing.
        _ = try WebSocketServerHandshake(try self.head { $0[5] = "X: y" }, origins: .only([]))
    }
}

@Suite struct WebSocketClientHandshakeTests {
    private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    private func handshake(subprotocols: [String] = ["chat"]) -> WebSocketClientHandshake {
        var fields = HTTPFields()
        fields.append(.authorization, "Bearer x")
        return WebSocketClientHandshake(
            authority: "server.example.com:8080",
            target: "/chat?a=%20",
            key: "dGhlIHNhbXBsZSBub25jZQ==",
            fields: fields,
            subprotocols: subprotocols
        )
    }

    private func answer(_ lines: [String]) throws -> (status: Int, fields: HTTPFields) {
        var fields = HTTPFields()
        for line in lines.dropFirst() {
            let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
            fields.append(try #require(HTTPField.Name(parts[0])), parts.count > 1 ? parts[1] : "")
        }
        return (try #require(Int(lines[0].split(separator: " ")[1])), fields)
    }

    private func subprotocol(agreedIn answer: (status: Int, fields: HTTPFields)) throws -> String? {
        try self.handshake().subprotocol(agreedIn: answer.status, answer.fields, accept: Self.accept)
    }

    private static let good = [
        "HTTP/1.1 101 Switching Protocols", "Upgrade: WebSocket", "Connection: keep-alive, upgrade",
        "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "Sec-WebSocket-Protocol: chat",
    ]

    @Test func theRequestIsWritten() {
        var bytes: [UInt8] = []
        self.handshake(subprotocols: ["chat", "superchat"]).encode(into: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "GET /chat?a=%20 HTTP/1.1\r\nHost: server.example.com:8080\r\nUpgrade: websocket\r\n"
                + "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Protocol: chat, superchat\r\nAuthorization: Bearer x\r\n\r\n"
        )
    }

    @Test func aGoodAnswerIsTaken() throws {
        #expect(try self.subprotocol(agreedIn: self.answer(Self.good)) == "chat")
        let plain = try self.answer(Array(Self.good.dropLast()))
        #expect(try self.subprotocol(agreedIn: plain) == nil)
    }

    @Test(
        arguments: [
            (0, "HTTP/1.1 401 Unauthorized", .refused(status: 401)), (0, "HTTP/1.1 200 OK", .refused(status: 200)),
            (1, "Upgrade: h2c", .notSwitched), (1, "X: y", .notSwitched), (2, "Connection: close", .notSwitched),
            (3, "X: y", .wrongAccept), (3, "Sec-WebSocket-Accept: c3pPLMBiTxaQ9kYGzzhZRbK+xOo=", .wrongAccept),
            (4, "Sec-WebSocket-Protocol: superchat", .unknownSubprotocol),
            (4, "Sec-WebSocket-Protocol: chat, chat", .unknownSubprotocol),
            (4, "Sec-WebSocket-Extensions: permessage-deflate", .unknownExtension),
        ] as [(Int, String, WebSocketClientHandshake.Failure)]
    )
    func anythingElseIsRefused(_ line: Int, _ text: String, _ failure: WebSocketClientHandshake.Failure) throws {
        var lines = Self.good
        lines[line] = text
        let answer = try self.answer(lines)
        #expect(throws: failure) { try self.subprotocol(agreedIn: answer) }
    }
}
