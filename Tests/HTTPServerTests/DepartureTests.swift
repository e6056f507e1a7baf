import EventLoop
import HTTPServer
import HTTPWire
import Locking
import TestSupport
import Testing

@Suite struct DepartureTests {
    /// Says when it began, and whether it was cancelled before it was let go.
    private final class Worker: Sendable {
        let began = Signal()
        let cancelled = Signal()
        let release = Signal()

        var responder: Responder {
            Responder { _ in
                self.began.set()
                await withTaskCancellationHandler {
                    await self.release.wait()
                } onCancel: {
                    self.cancelled.set()
                    self.release.set()
                }
                return .text(200, self.cancelled.isSet ? "cancelled" : "done")
            }
        }
    }

    @Test func aHalfCloseIsNotLeaving() async throws {
        let worker = Worker()
        try await withServer(worker.responder) { server in
            let client = try server.client()
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await worker.began.wait()
            client.halfClose()
            // Time for the end of the stream to arrive; if it counted, `cancelled` would be set and the text differ.
            try await Task.sleep(for: .milliseconds(50))
            worker.release.set()
            #expect(try await client.answer().text == "done")
            #expect(try await client.end().end == .closed)
        }
    }

    @Test func aHalfCloseBehindPipelinedRequestsLeavesThemAllAnswered() async throws {
        try await withServer { server in
            let client = try server.client()
            try await client.send(String(repeating: "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n", count: 100))
            client.halfClose()
            for _ in 0..<100 {
                #expect(try await client.answer().status == 200)
            }
            let (rest, end) = try await client.end()
            #expect(rest.isEmpty)
            #expect(end == .closed)
        }
    }

    @Test func aResetCancelsTheResponder() async throws {
        let worker = Worker()
        try await withServer(worker.responder) { server in
            let client = try server.client()
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await worker.began.wait()
            client.reset()
            await worker.cancelled.wait()
            await until { server.server.statistics.openConnections == 0 }
        }
    }

    @Test func aClosedUnixSocketCancelsTheResponder() async throws {
        let worker = Worker()
        try await withServer(worker.responder, listen: [.unix(path: temporaryPath())]) { server in
            let client = try server.client()
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await worker.began.wait()
            client.close()
            await worker.cancelled.wait()
        }
    }

    @Test(arguments: [true, false])
    func contentThatEndsTooEarlyIsToldToItsReader(byReset: Bool) async throws {
        let failure = Locked<(any Error)?>(nil)
        let failed = Signal()
        let responder = Responder { request in
            do {
                try await request.body.read(into: Collector(), limit: 1000)
            } catch {
                failure.withLock { $0 = error }
                failed.set()
            }
            return .text(400, "")
        }
        try await withServer(responder) { server in
            let client = try server.client()
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello")
            await until { server.server.statistics.requests == 1 }
            if byReset { client.reset() } else { client.halfClose() }
            await failed.wait()
            #expect(failure.withLock { $0 as? HTTPRequestBodyError } == .disconnected)
            if !byReset {
                #expect(try await client.answer().status == 400)
                #expect(try await client.end().end == .closed)
            }
        }
    }

    @Test func aHeadThatEndsTooEarlyIsAnswered() async throws {
        try await withServer { server in
            let client = try server.client()
            try await client.send("GET /echo HTTP/1.1\r\nHo")
            client.halfClose()
            #expect(try await client.answer().status == 400)
            #expect(try await client.end().end == .closed)
        }
    }

    @Test func stoppingCancelsAndCloses() async throws {
        let worker = Worker()
        try await withServer(worker.responder) { server in
            let busy = try server.client()
            let idle = try server.client()
            try await busy.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await worker.began.wait()
            await until { server.server.statistics.openConnections == 2 }
            await server.server.stop()
            await worker.cancelled.wait()
            #expect(try await idle.end().rest.isEmpty)
            #expect(try await busy.end().rest.isEmpty)
        }
    }

    /// An answer leaves at the end of its turn, and the server may end before that.
    @Test func anAnswerThatIsReadyIsSentBeforeTheServerStops() async throws {
        let stopping = Locked<HTTPServer?>(nil)
        let responder = Responder { request in
            if let loop = EventLoop.current, let server = stopping.withLock({ $0 }) {
                // Runs on the loop when this has answered, in the same turn.
                Task(executorPreference: loop.executor) { await server.stop() }
            }
            return .text(200, request.head.path)
        }
        try await withServer(responder) { server in
            let client = try server.client()
            #expect(try await client.exchange("GET /first HTTP/1.1\r\nHost: a\r\n\r\n").text == "/first")
            stopping.withLock { $0 = server.server }
            #expect(try await client.exchange("GET /last HTTP/1.1\r\nHost: a\r\n\r\n").text == "/last")
        }
    }
}
