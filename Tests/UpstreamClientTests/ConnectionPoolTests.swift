import HTTPWire
import Locking
import TestSupport
import Testing
import UpstreamClient

/// Which connections carry another exchange, and which are closed.
@Suite(.timeLimit(.minutes(1)))
struct ConnectionPoolTests {
    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\n", 1), ("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n", 1),
        ("HTTP/1.1 200 OK\r\nConnection: close\r\n", 2), ("HTTP/1.1 200 OK\r\nConnection: x, Close ,y\r\n", 2),
        ("HTTP/1.0 200 OK\r\n", 2), ("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n", 1),
        ("HTTP/1.0 200 OK\r\nConnection: keep-alive, close\r\n", 2),
    ])
    func theAnswerSaysWhetherAnotherFollows(_ head: String, _ connections: Int) async throws {
        let server = try ScriptedServer { connection in
            while connection.readRequest() != nil { connection.send(head + "Content-Length: 2\r\n\r\nok") }
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            for _ in 0..<2 {
                let response = try await client.execute(.post(server.url + "/", "content"))
                #expect(response.text == "ok")
            }
        }
        #expect(server.connectionCount == connections)
    }

    /// What is left of the request would be taken for the beginning of the next one.
    @Test func aConnectionWhoseRequestWasAnsweredEarlyCarriesNoOther() async throws {
        let server = try ScriptedServer { connection in
            guard connection.readHead() != nil else { return }
            connection.answer("\(connection.number)")
            connection.readToEnd()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            let body = [HTTPBodySegment.bytes([UInt8](repeating: 1, count: 20 << 20))]
            let first = try await client.execute(HTTPTransportRequest(method: .post, url: server.url, body: body))
            #expect(first.text == "1")
            let second = try await client.execute(.get(server.url + "/"))
            #expect(second.text == "2")
        }
    }

    @Test func noMoreConnectionsThanSetStayOpen() async throws {
        let arrived = Locked(0)
        let allArrived = TestSignal()
        let server = try ScriptedServer { connection in
            while connection.readRequest() != nil {
                let count = arrived.withLock { count in
                    count += 1
                    return count
                }
                if count == 6 { allArrived.give() }
                guard allArrived.wait() else { return }
                allArrived.give()
                connection.answer("ok")
            }
        }
        defer { server.stop() }
        var configuration = UpstreamClient.Configuration()
        configuration.maximumConnections = 2
        try await UpstreamTestBed.run(configuration) { client, _ in
            let url = server.url
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 { group.addTask { _ = try await client.execute(.get(url + "/")) } }
                try await group.waitForAll()
            }
            #expect(server.connectionCount == 6)
            #expect(UpstreamTestBed.connections(to: server.port) == 2)
        }
    }

    @Test func anIdleConnectionIsClosedWhenItsTimeIsUp() async throws {
        let ended = TestSignal()
        let server = try ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.answer("\(connection.number)")
            if connection.readToEnd().isEmpty { ended.give() }
        }
        defer { server.stop() }
        var configuration = UpstreamClient.Configuration()
        configuration.idleTimeout = .milliseconds(50)
        try await UpstreamTestBed.run(configuration) { client, _ in
            _ = try await client.execute(.get(server.url + "/"))
            await ended.given()
            let response = try await client.execute(.get(server.url + "/"))
            #expect(response.text == "2")
        }
    }

    @Test func behindAProxyNothingIsHeldToThePublicInternet() async throws {
        let server = try ScriptedServer { $0.readToEnd() }
        defer { server.stop() }
        var configuration = UpstreamClient.Configuration()
        configuration.proxy = server.url
        try await UpstreamTestBed.run(configuration) { client, _ in
            var request = HTTPTransportRequest.get("https://platform.invalid/")
            request.isForPublicAddressesOnly = true
            let error = try await UpstreamTestBed.failure(of: request, client)
            #expect(error.reason == .refused)
        }
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: ["https://proxy.invalid:3128", "socks5://proxy.invalid", "proxy.invalid"])
    func onlyPlainProxiesAreTaken(_ proxy: String) async throws {
        var configuration = UpstreamClient.Configuration()
        configuration.proxy = proxy
        await #expect(throws: UpstreamClientError.self) { try await UpstreamTestBed.run(configuration) { _, _ in } }
    }

    @Test func whatIsForThePublicInternetDoesNotShareAConnectionToThisMachine() async throws {
        let server = try ScriptedServer { connection in
            while connection.readRequest() != nil { connection.answer("ok") }
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            var request = HTTPTransportRequest.get(server.url + "/")
            _ = try await client.execute(request)
            request.isForPublicAddressesOnly = true
            let error = try await UpstreamTestBed.failure(of: request, client)
            #expect(error.reason == .refused)
        }
        #expect(server.requests.count == 1)
    }
}
