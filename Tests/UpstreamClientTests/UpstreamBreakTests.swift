import EventLoop
import Glibc
import HTTPWire
import Locking
import TestSupport
import Testing
import UpstreamClient

/// Connections that break at the worst moment: nothing is sent twice, and what may have left is told.
@Suite(.timeLimit(.minutes(1)))
struct UpstreamBreakTests {
    private static let large = [HTTPBodySegment.bytes([UInt8](repeating: 1, count: 20 << 20))]

    @Test(arguments: [false, true])
    func contentThatLeftInPartIsNotSentAgain(_ isReused: Bool) async throws {
        let server = try ScriptedServer { connection in
            if isReused {
                guard connection.readRequest() != nil else { return }
                connection.answer("first")
            }
            guard connection.readHead() != nil, connection.read(100_000) != nil else { return }
            connection.reset()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            if isReused { _ = try await client.execute(.get(server.url + "/")) }
            let request = HTTPTransportRequest(method: .post, url: server.url + "/paid", body: Self.large)
            let error = try await UpstreamTestBed.failure(of: request, client)
            #expect(error.reason == .reset)
            #expect(error.bytesSent >= 100_000)
        }
        #expect(server.connectionCount == 1)
    }

    @Test func aRequestIsRepeatedOnceAtMost() async throws {
        let server = try ScriptedServer { connection in
            if connection.number == 1 {
                guard connection.readRequest() != nil else { return }
                connection.answer("first")
            }
            // Takes the request and ends without an answer, each time.
            connection.readRequest()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            _ = try await client.execute(.get(server.url + "/first"))
            let error = try await UpstreamTestBed.failure(of: .get(server.url + "/second"), client)
            #expect(error.reason == .reset)
            #expect(error.bytesSent > 0)
        }
        #expect(
            server.requests.map(\.line) == ["GET /first HTTP/1.1"] + Array(repeating: "GET /second HTTP/1.1", count: 2)
        )
    }

    @Test func aRepetitionThatFindsNobodyStillTellsThatTheFirstLeft() async throws {
        let server = Locked<ScriptedServer?>(nil)
        let scripted = try ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.answer("first")
            connection.readRequest()
            // Nobody listens any more, and this connection ends without an answer.
            server.withLock { $0 }?.stop()
        }
        server.withLock { $0 = scripted }
        try await UpstreamTestBed.run { client, _ in
            _ = try await client.execute(.get(scripted.url + "/"))
            let error = try await UpstreamTestBed.failure(of: .get(scripted.url + "/"), client)
            #expect(error.bytesSent > 0)
        }
    }

    /// The request waits for the end of the turn; what comes on its connection until then is not its answer.
    @Test func anUnaskedAnswerThatComesBeforeTheRequestLeavesIsNotItsAnswer() async throws {
        let (received, sent) = (TestSignal(), TestSignal())
        let server = try UpstreamTestBed.staleServer(after: received, sent)
        defer { server.stop() }
        try await UpstreamTestBed.run { client, loops in
            let (url, loop) = (server.url, loops[0])
            let text = try await UpstreamTestBed.onLoop(loop) {
                _ = try await client.execute(.get(url + "/"))
                let task = Task.immediate(executorPreference: loop.executor) {
                    try await client.execute(.post(url + "/paid", "content")).text
                }
                // The connection is chosen by now, and the turn does not end before this.
                received.give()
                guard sent.wait() else { return "" }
                return try await task.value
            }
            #expect(text == "2")
        }
        #expect(server.requests.filter { $0.line.hasPrefix("POST") }.count == 1)
    }

    /// Bytes that nobody asked for and the request that takes their connection come in one round of events.
    @Test func anUnaskedAnswerOfTheSameRoundIsNotItsAnswer() async throws {
        let (received, sent) = (TestSignal(), TestSignal())
        let server = try UpstreamTestBed.staleServer(after: received, sent)
        defer { server.stop() }
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        let (ours, theirs) = (pair[0], pair[1])
        defer { for descriptor in [ours, theirs] { close(descriptor) } }
        try await UpstreamTestBed.run { client, loops in
            let (url, loop) = (server.url, loops[0])
            let text = try await UpstreamTestBed.onLoop(loop) {
                _ = try await client.execute(.get(url + "/"))
                return try await withCheckedThrowingContinuation { continuation in
                    let starter = Starter { descriptor in
                        loop.deregister(descriptor)
                        Task.immediate(executorPreference: loop.executor) {
                            do {
                                continuation.resume(
                                    returning: try await client.execute(.post(url + "/paid", "content")).text
                                )
                            } catch {
                                continuation.resume(throwing: error)
                            }
                        }
                    }
                    do {
                        try loop.register(ours, interest: .readable, handler: starter)
                    } catch {
                        return continuation.resume(throwing: error)
                    }
                    // The loop is held until both are ready: first what begins the exchange, then the stale answer.
                    _ = write(theirs, "x", 1)
                    received.give()
                    _ = sent.wait()
                }
            }
            #expect(text == "2")
        }
    }

    @Test func aCloseDelimitedAnswerIsNotCompleteWhenTheRequestMetAReset() async throws {
        let server = try ScriptedServer { connection in
            guard connection.readHead() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\n\r\nhalf an ans")
            _ = connection.read(1_000_000)
            connection.reset()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            let request = HTTPTransportRequest(method: .post, url: server.url + "/", body: Self.large)
            let error = try await UpstreamTestBed.failure(of: request, client)
            #expect(error.reason == .reset || error.reason == .malformed)
            #expect(error.bytesSent > 0)
        }
    }

    @Test func aStreamThatBreaksWhileNobodyReadsEndsWithAnError() async throws {
        let (isHeld, isBroken) = (TestSignal(), TestSignal())
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(1 << 20)\r\n\r\n")
            connection.send([UInt8](repeating: 0x61, count: 400_000))
            guard isHeld.wait() else { return }
            connection.reset()
            isBroken.give()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            let stream = try await client.open(.get(server.url))
            isHeld.give()
            await isBroken.given()
            var count = 0
            await #expect(throws: HTTPTransportError.self) {
                while let piece = try await stream.content.source.next() { count += piece.count }
            }
            #expect(count < 1 << 20)
        }
    }

    @Test func shutdownClosesWhatIsIdleAndEndsAStreamThatNobodyReads() async throws {
        let server = try ScriptedServer { connection in
            while let request = connection.readRequest() {
                guard request.line.contains("/stream") else {
                    connection.answer("ok")
                    continue
                }
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(8 << 20)\r\n\r\n")
                connection.send([UInt8](repeating: 0x61, count: 4 << 20))
            }
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            _ = try await client.execute(.get(server.url + "/"))
            let stream = try await client.open(.get(server.url + "/stream"))
            _ = try await client.execute(.get(server.url + "/"))
            #expect(UpstreamTestBed.connections(to: server.port) == 2)
            await client.shutdown()
            #expect(UpstreamTestBed.connections(to: server.port) == 0)
            await #expect(throws: HTTPTransportError.self) {
                while try await stream.content.source.next() != nil {}
            }
        }
    }
}

/// Does something when a descriptor is ready.
private final class Starter: EpollHandler, Sendable {
    private let start: @Sendable (Int32) -> Void

    init(_ start: @escaping @Sendable (Int32) -> Void) {
        self.start = start
    }

    func ready(_ descriptor: Int32, _ events: EpollEvents) {
        self.start(descriptor)
    }
}
