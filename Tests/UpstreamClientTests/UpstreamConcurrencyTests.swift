import EventLoop
import HTTPWire
import Locking
import TestSupport
import Testing
import UpstreamClient

@Suite(.timeLimit(.minutes(1)))
struct UpstreamConcurrencyTests {
    private static func echo() throws -> ScriptedServer {
        try ScriptedServer { connection in
            while let request = connection.readRequest() {
                connection.answer(String(decoding: request.body, as: UTF8.self))
            }
        }
    }

    @Test(arguments: [1, 2])
    func twoHundredExchangesAtOnceGetTheirOwnAnswers(_ loops: Int) async throws {
        let server = try Self.echo()
        defer { server.stop() }
        try await UpstreamTestBed.run(loops: loops) { client, _ in
            for _ in 0..<3 {
                let right = try await withThrowingTaskGroup(of: Bool.self) { group in
                    let url = server.url
                    for index in 0..<200 {
                        group.addTask {
                            let body = "exchange \(index) " + String(repeating: "x", count: index * 100)
                            return try await client.execute(.post(url + "/", body)).text == body
                        }
                    }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(right == 200)
            }
        }
        // All later rounds found their connections in the pool.
        #expect(server.connectionCount <= 200)
        #expect(server.requests.count == 600)
    }

    @Test func fewerPooledConnectionsThanExchangesOnlyCostConnections() async throws {
        let server = try Self.echo()
        defer { server.stop() }
        var configuration = UpstreamClient.Configuration()
        configuration.maximumConnections = 4
        try await UpstreamTestBed.run(configuration) { client, _ in
            for _ in 0..<3 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    let url = server.url
                    for index in 0..<50 {
                        group.addTask {
                            let response = try await client.execute(.post(url + "/", "\(index)"))
                            #expect(response.text == "\(index)")
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
        #expect(server.requests.count == 150)
    }

    @Test func exchangesBeyondTheLimitAreRefused() async throws {
        let asked = TestSignal()
        let server = try ScriptedServer { connection in
            connection.readRequest()
            asked.give()
            connection.readToEnd()
        }
        defer { server.stop() }
        var configuration = UpstreamClient.Configuration()
        configuration.maximumExchanges = 1
        try await UpstreamTestBed.run(configuration) { client, _ in
            let url = server.url
            let first = Task { try await client.execute(.get(url + "/")) }
            await asked.given()
            let error = try await UpstreamTestBed.failure(of: .get(url + "/"), client)
            #expect(error.reason == .refused)
            #expect(error.bytesSent == 0)
            first.cancel()
            _ = await first.result
        }
    }

    @Test func shutdownEndsRunningExchangesAndRefusesFurtherOnes() async throws {
        let arrived = Locked(0)
        let allArrived = TestSignal()
        let server = try ScriptedServer { connection in
            connection.readRequest()
            let count = arrived.withLock { count in
                count += 1
                return count
            }
            if count == 20 { allArrived.give() }
            connection.readToEnd()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run(loops: 2) { client, _ in
            let url = server.url
            let tasks = (0..<20).map { _ in
                Task { () -> HTTPTransportError? in
                    do throws(HTTPTransportError) {
                        _ = try await client.execute(.post(url + "/", "content"))
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            await allArrived.given()
            await client.shutdown()
            for task in tasks {
                let error = await task.value
                #expect(error?.reason == .refused)
                #expect(error?.bytesSent == 7)
            }
            let late = try await UpstreamTestBed.failure(of: .post(url + "/", "content"), client)
            #expect(late.reason == .refused)
            #expect(late.bytesSent == 0)
            await client.shutdown()
        }
    }

    @Test func shutdownGivesUpConnectionsThatAreBeingOpened() async throws {
        let greeted = TestSignal()
        let server = try ScriptedServer { connection in
            // Of the TLS handshake it hears the greeting, and says nothing.
            guard connection.read(1) != nil else { return }
            greeted.give()
            connection.readToEnd()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            let port = server.port
            let exchange = Task { try await UpstreamTestBed.failure(of: .get("https://127.0.0.1:\(port)/"), client) }
            await greeted.given()
            await client.shutdown()
            let error = try await exchange.value
            #expect(error.reason == .refused)
            #expect(error.bytesSent == 0)
            #expect(UpstreamTestBed.connections(to: port) == 0)
        }
    }

    @Test func fiveHundredExchangesOfAllKindsLeaveNoDescriptorBehind() async throws {
        let server = try ScriptedServer { connection in
            while let request = connection.readRequest() {
                switch request.line.split(separator: " ")[1] {
                case "/close": return connection.answer("", fields: "Connection: close\r\n")
                case "/reset": return connection.reset()
                case "/half": return connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
                case "/hang": connection.readToEnd()
                default: connection.answer("ok")
                }
            }
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            let url = server.url
            for round in 0..<50 {
                await withTaskGroup(of: Void.self) { group in
                    for path in ["/", "/", "/", "/close", "/close", "/reset", "/reset", "/half", "/half", "/hang"] {
                        group.addTask {
                            var request = HTTPTransportRequest.post(url + path, "\(round)")
                            if path == "/hang" { request.timeout = .milliseconds(20) }
                            _ = try? await client.execute(request)
                        }
                    }
                }
            }
            // What hangs may be given up before it is sent.
            #expect(server.requests.filter { !$0.line.contains("hang") }.count == 450)
            // Which of them are idle by now is chance; one more exchange leaves its own behind.
            _ = try await client.execute(.get(url + "/"))
            #expect(UpstreamTestBed.connections(to: server.port) > 0)
        }
        #expect(UpstreamTestBed.connections(to: server.port) == 0)
    }
}
