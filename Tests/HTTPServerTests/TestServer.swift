import EventLoop
import Glibc
import HTTPWire
import Locking
import Telemetry
import Testing

@testable import HTTPServer

/// A responder made of a closure.
struct Responder: HTTPResponder {
    var answer: @Sendable (HTTPRequest) async -> HTTPResponse

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        await self.answer(request)
    }

    func response(to rejection: HTTPRejection) -> HTTPResponse {
        HTTPResponse(status: rejection.status, body: Array(rejection.message.utf8))
    }

    /// Answers a path of its own with its method, path and content; knows no other path.
    static let echo = Responder { request in
        guard request.head.path == "/echo" || request.head.path == "*" else { return .text(404, "no such path") }
        switch request.head.method {
        case .get, .head, .options, .post:
            return await Responder.reading(request, limit: 1 << 20) { content in
                .text(200, "\(request.head.method.token) \(request.head.target) \(content.count)")
            }
        default:
            var response = HTTPResponse.text(405, "not here")
            response.fields.append(.allow, "GET, HEAD, OPTIONS, POST")
            return response
        }
    }

    /// Reads the content, and answers what a failure calls for.
    static func reading(
        _ request: HTTPRequest,
        limit: Int,
        _ answer: ([UInt8]) -> HTTPResponse
    ) async -> HTTPResponse {
        let collector = Collector()
        do {
            try await request.body.read(into: collector, limit: limit)
            return answer(collector.bytes)
        } catch HTTPRequestBodyError.tooLarge {
            return .text(413, "too large")
        } catch HTTPRequestBodyError.timedOut {
            return .text(408, "timed out")
        } catch {
            return .text(400, "\(error)")
        }
    }
}

extension HTTPResponse {
    static func text(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status: HTTPStatus(status), body: Array(text.utf8))
    }
}

final class Collector: HTTPBodyConsumer {
    private let storage = Locked<[UInt8]>([])

    var bytes: [UInt8] { self.storage.withLock { $0 } }

    func consume(_ bytes: UnsafeRawBufferPointer) {
        self.storage.withLock { $0.append(contentsOf: bytes) }
    }
}

final class RecordingSink: LogSink {
    private let storage = Locked<[String]>([])

    var messages: [String] { self.storage.withLock { $0 } }

    func write(_ record: LogRecord) {
        self.storage.withLock { $0.append("\(record.message)") }
    }
}

/// Something that happens once, on another task.
final class Signal: Sendable {
    private let state = Locked<(isSet: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func set() {
        let waiting = self.state.withLock { state in
            state.isSet = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    var isSet: Bool { self.state.withLock { $0.isSet } }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isSet = self.state.withLock { state in
                if !state.isSet { state.waiting.append(continuation) }
                return state.isSet
            }
            if isSet { continuation.resume() }
        }
    }
}

extension HTTPServer.Configuration {
    /// The defaults with some changes.
    static func with(_ change: (inout HTTPServer.Configuration) -> Void) -> HTTPServer.Configuration {
        var configuration = HTTPServer.Configuration()
        change(&configuration)
        return configuration
    }

    /// Listens so long after an answer that no pause of a client or a loop makes its end a reset.
    static let lingeringLong = Self.with {
        $0.lingerTimeout = .seconds(60)
        $0.lingerIdleTimeout = .seconds(60)
    }
}

struct TestServer {
    let server: HTTPServer
    let addresses: [BoundAddress]
    let log: RecordingSink

    func client(receiveBuffer: Int32? = nil) throws -> TestClient {
        try TestClient(self.addresses[0], receiveBuffer: receiveBuffer)
    }
}

/// Lends a running server, and stops it and its loops.
func withServer(
    _ responder: Responder = .echo,
    loops count: Int = 1,
    listen: [ListenAddress] = [.tcp(host: "127.0.0.1", port: 0)],
    configuration: HTTPServer.Configuration = HTTPServer.Configuration(),
    accept: @escaping Listener.Accept = Listener.system,
    _ body: (TestServer) async throws -> Void
) async throws {
    var configuration = configuration
    configuration.listen = listen
    let loops = try (0..<count).map { try EventLoop(index: $0) }
    defer { for loop in loops { loop.stop() } }
    let log = RecordingSink()
    let server = HTTPServer(
        configuration: configuration,
        loops: loops,
        responder: responder,
        logger: Logger(sink: log),
        accept: accept
    )
    let addresses = try await server.start()
    let result: Result<Void, any Error>
    do {
        result = .success(try await body(TestServer(server: server, addresses: addresses, log: log)))
    } catch {
        result = .failure(error)
    }
    await server.stop()
    #expect(server.statistics.openConnections == 0)
    try result.get()
}
