import EventLoop
import Glibc
import HTTPServer
import HTTPWire
import Telemetry

/// Echoes on every path, until the process is ended.
enum EchoServer: HTTPResponder, WebSocketHandler {
    case echo

    static func run() async throws {
        var configuration = HTTPServer.Configuration()
        configuration.listen = [.tcp(host: "127.0.0.1", port: 0)]
        configuration.webSocketBufferBytes = 256 << 20
        // The suite's mass cases have messages of 16 MiB, and it wants nothing that it did not ask for.
        configuration.webSocket.limits.frameBytes = 16 << 20
        configuration.webSocket.limits.messageBytes = 16 << 20
        configuration.webSocket.pingInterval = nil
        let loop = try EventLoop(index: 0)
        let server = HTTPServer(
            configuration: configuration,
            loops: [loop],
            responder: EchoServer.echo,
            logger: Logger(sink: Silence())
        )
        guard case .tcp(let host, let port)? = try await server.start().first?.address else { return }
        print("ws://\(host):\(port)/")
        fflush(nil)
        while true { try await Task.sleep(for: .seconds(3600)) }
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        do throws(WebSocketHandshakeError) {
            var response = HTTPResponse(status: HTTPStatus(101))
            response.upgrade = WebSocketUpgrade(try WebSocketServerHandshake(request.head), handler: self)
            return response
        } catch {
            return HTTPResponse(status: error.status, fields: error.fields, body: Array(error.message.utf8))
        }
    }

    func response(to rejection: HTTPRejection) -> HTTPResponse {
        HTTPResponse(status: rejection.status, body: Array(rejection.message.utf8))
    }

    func run(_ channel: any WebSocketChannel) async {
        while let message = await channel.receive() { await channel.send(message) }
    }
}

/// Logs nothing.
struct Silence: LogSink {
    func write(_ record: LogRecord) {}
}
