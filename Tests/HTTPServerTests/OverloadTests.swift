import Glibc
import HTTPWire
import Locking
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct OverloadTests {
    @Test func whoComesBeyondTheMostConnectionsIsToldAndNobodyElseSuffers() async throws {
        var configuration = HTTPServer.Configuration.lingeringLong
        configuration.maximumConnections = 2
        try await withServer(configuration: configuration) { server in
            let first = try server.client()
            let second = try server.client()
            #expect(try await first.exchange("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
            #expect(try await second.exchange("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
            let third = try server.client()
            let refusal = try await third.exchange("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(refusal.status == 503)
            #expect(refusal.fields["retry-after"] == "1")
            #expect(refusal.fields["connection"] == "close")
            #expect(try await third.end().end == .closed)
            #expect(try await first.exchange("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
            #expect(server.server.statistics.shedConnections == 1)
            second.close()
            await until { server.server.statistics.openConnections == 1 }
            let fourth = try server.client()
            #expect(try await fourth.exchange("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
        }
    }

    @Test func whoCannotEvenBeToldIsClosedOn() async throws {
        // The first must not be gone before the second comes.
        var configuration = HTTPServer.Configuration.lingeringLong
        configuration.maximumConnections = 0
        configuration.maximumShedding = 1
        try await withServer(configuration: configuration) { server in
            let told = try server.client()
            #expect(try await told.answer().status == 503)
            let closed = try server.client()
            #expect(try await closed.end().rest.isEmpty)
        }
    }

    /// Fails as if all descriptors were in use, a number of times.
    private final class Exhaustion: Sendable {
        private let left: Locked<Int>
        let calls = Locked(0)

        init(times: Int) {
            self.left = Locked(times)
        }

        var accept: Listener.Accept {
            { listener, peer in
                self.calls.withLock { $0 += 1 }
                let fails = self.left.withLock { left in
                    guard left > 0 else { return false }
                    left -= 1
                    return true
                }
                return fails ? -EMFILE : Listener.system(listener, &peer)
            }
        }
    }

    @Test func runningOutOfDescriptorsIsSurvivedAndLoggedOnce() async throws {
        // Each episode fails twice: before the reserve is given away, and behind it.
        let exhaustion = Exhaustion(times: 6)
        try await withServer(accept: exhaustion.accept) { server in
            let client = try server.client()
            #expect(try await client.exchange("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
            let complaints = server.log.messages.filter { $0.contains("cannot be accepted") }
            #expect(complaints.count == 1)
            // The listener rested in between: three episodes, the success, and a look behind it.
            #expect(exhaustion.calls.withLock { $0 } <= 9)
        }
    }

    @Test func theReserveIsUsedToCloseOnClientsAtOnce() async throws {
        let exhaustion = Exhaustion(times: 1)
        try await withServer(accept: exhaustion.accept) { server in
            let client = try server.client()
            #expect(try await client.end().rest.isEmpty)
            await until { server.server.statistics.refusedConnections == 1 }
            let next = try server.client()
            #expect(try await next.exchange("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
        }
    }

    // MARK: - Draining

    @Test func drainingClosesWhatIsIdleAndAnswersTheRest() async throws {
        let began = Signal()
        let release = Signal()
        let responder = Responder { _ in
            began.set()
            await release.wait()
            return .text(200, "done")
        }
        try await withServer(responder) { server in
            let idle = try server.client()
            let busy = try server.client()
            try await busy.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await began.wait()
            await until { server.server.statistics.openConnections == 2 }
            let drained = Signal()
            let draining = Task {
                await server.server.drain(within: .seconds(10))
                drained.set()
            }
            #expect(try await idle.end().end == .closed)
            #expect(throws: TestClient.Failure.connect(ECONNREFUSED)) { try server.client() }
            #expect(!drained.isSet)
            release.set()
            let answer = try await busy.answer()
            #expect(answer.text == "done")
            #expect(answer.fields["connection"] == "close")
            #expect(try await busy.end().end == .closed)
            busy.close()
            await draining.value
            #expect(server.server.statistics.openConnections == 0)
        }
    }

    /// The other end of a connection that was accepted a moment ago knows of no draining.
    @Test func drainingAnswersARequestThatWasOnItsWay() async throws {
        var answer: Answer?
        for attempt in 1...3 where answer == nil {
            try await withServer(Responder { _ in .text(200, "served") }) { server in
                let idle = try server.client()
                #expect(try await idle.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
                let client = try server.client()
                await until { server.server.statistics.openConnections == 2 }
                let start = ContinuousClock.now
                let draining = Task { await server.server.drain(within: .seconds(10)) }
                // The loop tells all of its connections at once.
                #expect(try await idle.end().end == .closed)
                do {
                    answer = try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                } catch {
                    // The request is waited for only so long: on a busy machine it may come too late.
                    guard attempt < 3, ContinuousClock.now - start >= .seconds(1) else { throw error }
                }
                client.close()
                await draining.value
            }
        }
        #expect(answer?.status == 200 && answer?.fields["connection"] == "close")
    }

    @Test func drainingDoesNotWaitForEver() async throws {
        let began = Signal()
        let release = Signal()
        let responder = Responder { _ in
            began.set()
            await release.wait()
            return .text(200, "late")
        }
        try await withServer(responder) { server in
            let client = try server.client()
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await began.wait()
            await server.server.drain(within: .milliseconds(50))
            #expect(server.server.statistics.openConnections == 1)
            release.set()
            #expect(try await client.answer().text == "late")
        }
    }

    @Test func drainingAnEmptyServerReturnsAtOnce() async throws {
        try await withServer { server in
            let start = ContinuousClock.now
            await server.server.drain(within: .seconds(60))
            #expect(ContinuousClock.now - start < .seconds(10))
        }
    }
}
