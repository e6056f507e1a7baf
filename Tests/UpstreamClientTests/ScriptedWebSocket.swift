import Cryptography
import HTTPWire
import TestSupport
import Testing
import UpstreamClient

/// The server's end of a WebSocket, frame by frame out of RFC 6455.
extension ScriptedConnection {
    struct Frame: Equatable {
        /// The first byte: flags and opcode.
        let first: UInt8
        let isMasked: Bool
        let payload: [UInt8]

        var text: String { String(decoding: self.payload, as: UTF8.self) }

        init(_ first: UInt8, _ payload: [UInt8], isMasked: Bool = true) {
            self.first = first
            self.isMasked = isMasked
            self.payload = payload
        }
    }

    /// Answers a handshake; the request's head, or nil when none came.
    @discardableResult
    func acceptWebSocket(fields: String = "", also bytes: [UInt8] = []) -> Request? {
        guard let request = self.readRequest() else { return nil }
        let key = request.field("Sec-WebSocket-Key") ?? ""
        let accept = Base64.encode(SHA1.hash(of: key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
        let lines = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(accept)\r\n\(fields)\r\n"
        self.send(Array("HTTP/1.1 101 Switching Protocols\r\n\(lines)".utf8) + bytes)
        return request
    }

    /// Waits for a frame; nil when the connection ends before.
    func readFrame() -> Frame? {
        guard let head = self.read(2) else { return nil }
        var length = Int(head[1] & 0x7F)
        if length >= 126 {
            guard let bytes = self.read(length == 126 ? 2 : 8) else { return nil }
            length = bytes.reduce(0) { $0 << 8 | Int($1) }
        }
        let isMasked = head[1] & 0x80 != 0
        guard let key = self.read(isMasked ? 4 : 0), var payload = self.read(length) else { return nil }
        if isMasked {
            payload.withUnsafeMutableBufferPointer { for index in $0.indices { $0[index] ^= key[index % 4] } }
        }
        return Frame(head[0], payload, isMasked: isMasked)
    }

    func sendFrame(_ first: UInt8, _ payload: [UInt8]) {
        self.send(HandMadeFrame.fromServer(first, payload))
    }

    func sendText(_ text: String) {
        self.sendFrame(0x81, Array(text.utf8))
    }

    /// Sends back what comes, until a close frame, which is answered.
    func echoFrames() {
        while let frame = self.readFrame() {
            if frame.first == 0x88 {
                self.sendFrame(0x88, frame.payload)
                return self.finishSending()
            }
            self.sendFrame(frame.first, frame.payload)
        }
    }
}

extension UpstreamTestBed {
    /// A server that does what a script says, and a client on the loop of which the body runs.
    static func withServer<Value: Sendable>(
        _ configuration: UpstreamClient.Configuration = .init(),
        script: @escaping @Sendable (ScriptedConnection) -> Void,
        _ body: @escaping @Sendable (ScriptedServer, UpstreamClient) async throws -> Value
    ) async throws -> Value {
        let server = try ScriptedServer(script)
        defer { server.stop() }
        return try await Self.run(configuration) { client, loops in
            try await Self.onLoop(loops[0]) { try await body(server, client) }
        }
    }

    /// Opens a WebSocket to a server that does what a script says.
    static func withWebSocket<Value: Sendable>(
        _ configuration: WebSocketConfiguration = .init(),
        script: @escaping @Sendable (ScriptedConnection) -> Void,
        _ body: @escaping @Sendable (any WebSocketChannel) async throws -> Value
    ) async throws -> Value {
        try await Self.withServer(script: script) { server, client in
            var request = WebSocketRequest(url: server.webSocketURL)
            request.configuration = configuration
            return try await body(try await client.open(request))
        }
    }

    /// The error of a connection that must not come about.
    static func failure(
        of request: WebSocketRequest,
        _ client: UpstreamClient,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> HTTPTransportError {
        do {
            _ = try await client.open(request)
        } catch WebSocketOpenError.failed(let error) {
            return error
        }
        Issue.record("the connection was opened or refused", sourceLocation: sourceLocation)
        throw Unexpected()
    }

    /// The answer of a server that refuses.
    static func refusal(_ request: WebSocketRequest, _ client: UpstreamClient) async throws -> HTTPTransportResponse {
        do {
            _ = try await client.open(request)
        } catch WebSocketOpenError.refused(let response) {
            return response
        }
        Issue.record("the connection was opened")
        throw Unexpected()
    }
}

extension ScriptedServer {
    var webSocketURL: String { "ws://127.0.0.1:\(self.port)/" }
}

extension WebSocketChannel {
    /// How the connection ended; nil when a message came.
    func receiveEnd() async -> WebSocketEnd? {
        await self.receive() == nil ? self.end : nil
    }

    /// Sends a text to a server that echoes, and whether it came back.
    func roundTrip(_ text: String) async -> Bool {
        await self.send(.text(text))
        return await self.receive() == .text(text)
    }
}
