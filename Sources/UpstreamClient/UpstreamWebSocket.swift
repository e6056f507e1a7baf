internal import EventLoop
internal import HTTPWire

/// Whoever opened a connection holds this: when it goes, the connection goes, unless it is being closed in order.
final class UpstreamWebSocket: WebSocketChannel {
    private let connection: UpstreamWebSocketConnection

    init(_ connection: UpstreamWebSocketConnection) {
        self.connection = connection
    }

    deinit {
        let connection = self.connection
        connection.execute { connection.leave() }
    }

    var end: WebSocketEnd? { self.connection.endpoint.end }

    func receive() async -> WebSocketMessage? { await self.connection.endpoint.receive() }

    func send(_ message: WebSocketMessage) async -> Bool { await self.connection.endpoint.send(message) }

    func ping(within limit: Duration) async -> Bool { await self.connection.endpoint.ping(within: limit) }

    func close(_ close: WebSocketClose) { self.connection.close(close) }

    func abort() { self.connection.endpoint.abort() }

    func untilEnd() async -> WebSocketEnd { await self.connection.endpoint.untilEnd() }
}
