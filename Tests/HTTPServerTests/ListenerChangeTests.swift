import Glibc
import HTTPWire
import Locking
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct ListenerChangeTests {
    private static let request = "GET /echo HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test(
        arguments: [
            (["a"], ["a"], [], [0], []),
            (["a"], ["a", "b"], ["b"], [0], []),
            (["a", "b"], ["b"], [], [1], [0]),
            (["a", "b"], ["c", "b", "d"], ["c", "d"], [1], [0]),
            (["a", "a"], ["a"], [], [0], [1]),
            ([], ["a", "a"], ["a", "a"], [], []),
        ] as [([String], [String], [String], [Int], [Int])]
    )
    func whatStaysIsToldApart(from: [String], to: [String], added: [String], kept: [Int], removed: [Int]) {
        func addresses(_ paths: [String]) -> [ListenAddress] { paths.map { .unix(path: $0) } }
        let plan = ListenerChange.Plan(from: addresses(from), to: addresses(to))
        #expect(plan.added == addresses(added) && plan.kept == kept && plan.removed == removed)
    }

    @Test func connectionsOutliveTheListenerThatTheyCameOver() async throws {
        let path = temporaryPath()
        try await withServer { server in
            let early = try server.client()
            #expect(try await early.exchange(Self.request).status == 200)
            let change = try await server.server.begin(listeningOn: [.unix(path: path)])
            // Between the steps both are served.
            #expect(try await server.client().exchange(Self.request).status == 200)
            #expect(try await Self.client(path).exchange(Self.request).status == 200)
            await server.server.finish(change)
            #expect(throws: TestClient.Failure.connect(ECONNREFUSED)) { try server.client() }
            #expect(try await early.exchange(Self.request).status == 200)
            #expect(try await Self.client(path).exchange(Self.request).status == 200)
            #expect(server.log.messages.contains("no longer listening"))
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test func portZeroStaysThePortItBecame() async throws {
        try await withServer { server in
            let change = try await server.server.begin(listeningOn: [.tcp(host: "127.0.0.1", port: 0)])
            await server.server.finish(change)
            #expect(try await server.client().exchange(Self.request).status == 200)
        }
    }

    @Test func oneAddressThatFailsLeavesAllAsItWas() async throws {
        let path = temporaryPath()
        try await withServer { server in
            let error = await #expect(throws: HTTPServerError.self) {
                try await server.server.begin(listeningOn: [.unix(path: path), .tcp(host: "192.0.2.1", port: 0)])
            }
            #expect(error?.code == .noSuchAddress)
            #expect(access(path, F_OK) != 0)
            let client = try server.client()
            #expect(try await client.exchange(Self.request).status == 200)
        }
    }

    @Test func aChangeCanBeTakenBack() async throws {
        let path = temporaryPath()
        try await withServer { server in
            await server.server.abandon(try await server.server.begin(listeningOn: [.unix(path: path)]))
            #expect(access(path, F_OK) != 0)
            #expect(try await server.client().exchange(Self.request).status == 200)
        }
    }

    @Test func whoStandsInItsOwnWayIsTold() async throws {
        try await withServer { server in
            let port = try #require(server.addresses[0].port)
            let error = await #expect(throws: HTTPServerError.self) {
                try await server.server.begin(listeningOn: [.tcp(host: "0.0.0.0", port: port)])
            }
            #expect(error?.message.contains("this process listens on 127.0.0.1:\(port)") == true)
            #expect(error?.message.contains("restart") == true)
        }
    }

    /// Who has connected and was not accepted yet has been told that there is a server.
    @Test(arguments: [false, true])
    func theQueueOfAListenerThatGoesIsServed(byDraining: Bool) async throws {
        let isOpen = Locked(false)
        let calls = Locked(0)
        let accept: Listener.Accept = { listener, peer in
            calls.withLock { $0 += 1 }
            return isOpen.withLock { $0 } ? Listener.system(listener, &peer) : -ENOBUFS
        }
        let path = temporaryPath()
        try await withServer(accept: accept) { server in
            let waiting = try server.client()
            try await waiting.send(Self.request)
            await until { calls.withLock { $0 } > 0 }
            isOpen.withLock { $0 = true }
            if byDraining {
                await server.server.drain(within: .seconds(10))
            } else {
                await server.server.finish(try await server.server.begin(listeningOn: [.unix(path: path)]))
            }
            #expect(try await waiting.answer().status == 200)
        }
    }

    @Test func anInheritedSocketCanBeGivenUpAndTakenAgain() async throws {
        let inherited = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(inherited) }
        try #require(listen(inherited, 8) == 0)
        let path = temporaryPath()
        try await withServer(listen: [.inherited(descriptor: inherited)]) { server in
            for address in [ListenAddress.unix(path: path), .inherited(descriptor: inherited)] {
                await server.server.finish(try await server.server.begin(listeningOn: [address]))
            }
            #expect(try await server.client().exchange(Self.request).status == 200)
        }
    }

    @Test func aServerThatHasEndedChangesNothing() async throws {
        try await withServer { server in
            await server.server.stop()
            let error = await #expect(throws: HTTPServerError.self) { try await server.server.begin(listeningOn: []) }
            #expect(error?.code == .notServing)
        }
    }

    private static func client(_ path: String) throws -> TestClient {
        try TestClient(BoundAddress(address: .unix(path: path)))
    }
}
