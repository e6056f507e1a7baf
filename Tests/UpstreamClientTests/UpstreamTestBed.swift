import EventLoop
import Glibc
import HTTPWire
import Telemetry
import TestSupport
import Testing
import UpstreamClient

/// A client with its loops for the time of a test.
enum UpstreamTestBed {
    /// Swallows what is logged.
    struct NoSink: LogSink {
        func write(_ record: LogRecord) {}
    }

    static func run<Value: Sendable>(
        _ configuration: UpstreamClient.Configuration = .init(),
        loops count: Int = 1,
        _ body: (UpstreamClient, [EventLoop]) async throws -> Value
    ) async throws -> Value {
        var loops: [EventLoop] = []
        for index in 0..<count { loops.append(try EventLoop(index: index)) }
        defer { for loop in loops { loop.stop() } }
        let client = try UpstreamClient(configuration: configuration, loops: loops, logger: Logger(sink: NoSink()))
        do {
            let value = try await body(client, loops)
            await client.shutdown()
            return value
        } catch {
            await client.shutdown()
            throw error
        }
    }

    /// A server that answers with the number of the connection, and on the first one, once the one signal is given, with
    /// another answer that nobody asked for; then it gives the other signal.
    static func staleServer(after received: TestSignal, _ sent: TestSignal) throws -> ScriptedServer {
        try ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.answer("\(connection.number)")
            guard connection.number == 1, received.wait() else { return }
            connection.answer("stale")
            sent.give()
            connection.readToEnd()
        }
    }

    /// The error of an exchange that must fail.
    static func failure(
        of request: HTTPTransportRequest,
        _ client: UpstreamClient,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> HTTPTransportError {
        do {
            let response = try await client.execute(request)
            Issue.record("an answer of status \(response.status) came", sourceLocation: sourceLocation)
            throw Unexpected()
        } catch let error as HTTPTransportError {
            return error
        }
    }

    struct Unexpected: Error {}

    /// Runs an operation on a loop and returns what it returned.
    static func onLoop<Value: Sendable>(
        _ loop: EventLoop,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await Task(executorPreference: loop.executor) { try await operation() }.value
    }

    /// The number of descriptors of this process that are connections to a port on 127.0.0.1.
    static func connections(to port: UInt16) -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return (0..<Int32(clamping: min(limit.rlim_cur, 65_536))).count { descriptor in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
            }
            return result == 0 && address.sin_family == sa_family_t(AF_INET)
                && UInt16(bigEndian: address.sin_port) == port
        }
    }
}

extension HTTPTransportRequest {
    static func get(_ url: String, timeout: Duration = .seconds(20)) -> HTTPTransportRequest {
        HTTPTransportRequest(method: .get, url: url, timeout: timeout)
    }

    static func post(_ url: String, _ body: String, timeout: Duration = .seconds(20)) -> HTTPTransportRequest {
        HTTPTransportRequest(method: .post, url: url, body: [.bytes(Array(body.utf8))], timeout: timeout)
    }
}

extension HTTPTransportResponse {
    var text: String { String(decoding: self.body, as: UTF8.self) }
}
