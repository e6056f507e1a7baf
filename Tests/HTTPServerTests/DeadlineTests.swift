import HTTPServer
import HTTPWire
import Locking
import TestSupport
import Testing

@Suite struct DeadlineTests {
    /// An exchange on a new connection, or on yet another when one was closed as idle before its request arrived.
    private func exchange(
        _ request: String,
        on server: TestServer
    ) async throws -> (client: TestClient, answer: Answer) {
        var attempts = 0
        while true {
            attempts += 1
            let client = try server.client()
            let arrived = server.server.statistics.requests
            do {
                return (client, try await client.exchange(request))
            } catch {
                // Once its request has arrived, the end of a connection is no matter of chance.
                guard attempts < 20, server.server.statistics.requests == arrived else { throw error }
            }
        }
    }

    @Test func anUnfinishedHeadIsAnsweredWhenItsTimeIsUp() async throws {
        try await withServer(configuration: .with { $0.headTimeout = .milliseconds(100) }) { server in
            let client = try server.client()
            let start = ContinuousClock.now
            try await client.send("GET /echo HTTP/1.1\r\n")
            let answer = try await client.answer()
            #expect(answer.status == 408)
            #expect(answer.fields["connection"] == "close")
            #expect(ContinuousClock.now - start >= .milliseconds(100))
            #expect(try await client.end().end == .closed)
        }
    }

    @Test func aDripOfBytesDoesNotProlongTheHead() async throws {
        try await withServer(configuration: .with { $0.headTimeout = .milliseconds(150) }) { server in
            let client = try server.client()
            let dripping = Task {
                for byte in "GET /echo HTTP/1.1\r\nX: \(String(repeating: "a", count: 1000))".utf8 {
                    try await client.send([byte])
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
            #expect(try await client.answer().status == 408)
            dripping.cancel()
        }
    }

    @Test func anIdleConnectionIsClosedWithoutAWord() async throws {
        try await withServer(configuration: .with { $0.keepAliveTimeout = .milliseconds(100) }) { server in
            let fresh = try server.client()
            let used = try await self.exchange("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n", on: server)
            #expect(used.answer.status == 200)
            for client in [fresh, used.client] {
                let (rest, end) = try await client.end()
                #expect(rest.isEmpty)
                #expect(end == .closed)
            }
        }
    }

    @Test func requestsProlongTheLifeOfAConnection() async throws {
        try await withServer(configuration: .with { $0.keepAliveTimeout = .seconds(2) }) { server in
            let client = try server.client()
            // Longer than the span in all, and never near it in one go, even on a busy machine.
            let end = ContinuousClock.now + .seconds(3)
            while ContinuousClock.now < end {
                #expect(try await client.exchange("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(server.server.statistics.acceptedConnections == 1)
        }
    }

    @Test func contentThatStopsComingIsToldToItsReader() async throws {
        try await withServer(configuration: .with { $0.bodyIdleTimeout = .milliseconds(100) }) { server in
            let client = try server.client()
            let answer = try await client.exchange("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhello")
            #expect(answer.status == 408)
            #expect(try await client.end().end == .closed)
        }
    }

    @Test func aDripOfContentIsGivenUp() async throws {
        let configuration = HTTPServer.Configuration.with {
            $0.bodyRate = 100_000
            $0.bodyGrace = .milliseconds(150)
        }
        try await withServer(configuration: configuration) { server in
            let client = try server.client()
            let dripping = Task {
                try await client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
                while true {
                    try await client.send([0x61])
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
            #expect(try await client.answer().status == 408)
            dripping.cancel()
        }
    }

    /// Has little patience until a certain byte has come.
    private final class Hurrying: HTTPBodyConsumer {
        private let isHurried = Locked(true)

        var timeLimit: Duration? { self.isHurried.withLock { $0 ? .milliseconds(300) : nil } }

        func consume(_ bytes: UnsafeRawBufferPointer) {
            if bytes.contains(UInt8(ascii: "!")) { self.isHurried.withLock { $0 = false } }
        }
    }

    /// Who is hurried must be given up long before the end of the content, also by a loop that stood still for a while.
    @Test(arguments: [("a", 900, 408), ("!", 60, 200)])
    func whoReadsContentMayHurryIt(first: String, pieces: Int, status: Int) async throws {
        let responder = Responder { request in
            do {
                try await request.body.read(into: Hurrying(), limit: 1000)
                return .text(200, "")
            } catch {
                return .text(error as? HTTPRequestBodyError == .timedOut ? 408 : 400, "")
            }
        }
        try await withServer(responder) { server in
            let client = try server.client()
            let sending = Task {
                let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(pieces + 1)\r\n\r\n"
                try await client.send(head + first)
                for _ in 0..<pieces {
                    try await Task.sleep(for: .milliseconds(10))
                    try await client.send("b")
                }
            }
            #expect(try await client.answer().status == status)
            sending.cancel()
        }
    }

    @Test func aSlowResponderHasAllTheTimeItWants() async throws {
        let responder = Responder { _ in
            try? await Task.sleep(for: .milliseconds(300))
            return .text(200, "late")
        }
        try await withServer(
            responder,
            configuration: .with {
                $0.headTimeout = .milliseconds(50)
                $0.keepAliveTimeout = .milliseconds(50)
                $0.bodyIdleTimeout = .milliseconds(50)
                $0.writeTimeout = .milliseconds(50)
            }
        ) { server in
            let answer = try await self.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n", on: server).answer
            #expect(answer.text == "late")
        }
    }

    @Test func aReaderThatReadsNothingIsGivenUp() async throws {
        let body = [UInt8](repeating: 0x61, count: 20_000_000)
        try await withServer(
            Responder { _ in HTTPResponse(status: HTTPStatus(200), body: body) },
            configuration: .with { $0.writeTimeout = .milliseconds(200) }
        ) { server in
            let client = try server.client(receiveBuffer: 4096)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await until { server.server.statistics.requests == 1 }
            await until { server.server.statistics.openConnections == 0 }
        }
    }

    @Test func aClientThatIgnoresTheEndIsClosedOn() async throws {
        try await withServer(
            configuration: .with {
                $0.lingerTimeout = .milliseconds(200)
                $0.lingerIdleTimeout = .milliseconds(150)
            }
        ) { server in
            let silent = try server.client()
            try await silent.send("nonsense\r\n\r\n")
            #expect(try await silent.answer().status == 400)
            await until { server.server.statistics.openConnections == 0 }
            // One that talks on is not borne longer than the whole span.
            let talking = try server.client()
            try await talking.send("nonsense\r\n\r\n")
            await #expect(throws: TestClient.Failure.reset) {
                for _ in 0..<1000 {
                    try await talking.send("x")
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
        }
    }
}
