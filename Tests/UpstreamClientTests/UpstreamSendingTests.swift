import EventLoop
import Glibc
import HTTPWire
import Locking
import TestSupport
import Testing
import UpstreamClient

/// What a platform or its network can do wrong, seen from both ends.
@Suite(.timeLimit(.minutes(1)))
struct UpstreamSendingTests {
    @Test(arguments: [10, 60_000, 1_000_000], [false, true])
    func contentReachesAPlatformThatEndsWithoutAnAnswerExactlyOnce(_ count: Int, _ isReset: Bool) async throws {
        let server = try ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.answer("first")
            // Reads the second request whole, "bills" it and says nothing.
            connection.readRequest()
            if isReset { connection.reset() }
        }
        defer { server.stop() }
        let error = try await UpstreamTestBed.run { client, _ in
            _ = try await client.execute(.get(server.url + "/"))
            let request = HTTPTransportRequest(
                method: .post,
                url: server.url + "/paid",
                body: [.bytes([UInt8](repeating: 1, count: count))]
            )
            return try await UpstreamTestBed.failure(of: request, client)
        }
        #expect(error.reason == .reset)
        #expect(error.bytesSent == count)
        #expect(server.requests.filter { $0.line.hasPrefix("POST") }.map(\.body.count) == [count])
    }

    @Test func requestWithoutContentThatIsNotIdempotentIsNotRepeatedEither() async throws {
        let server = try ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.answer("first")
            connection.readRequest()
        }
        defer { server.stop() }
        let error = try await UpstreamTestBed.run { client, _ in
            _ = try await client.execute(.get(server.url + "/"))
            return try await UpstreamTestBed.failure(
                of: HTTPTransportRequest(method: .post, url: server.url + "/paid"),
                client
            )
        }
        #expect(error.reason == .reset)
        #expect(error.bytesSent > 0)
        #expect(server.requests.filter { $0.line.hasPrefix("POST") }.count == 1)
    }

    @Test func getIsRepeatedWhenItsConnectionDied() async throws {
        let server = try ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.answer("\(connection.number)")
            if connection.number == 1 { connection.readRequest() }
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            _ = try await client.execute(.get(server.url + "/"))
            let response = try await client.execute(.get(server.url + "/"))
            #expect(response.text == "2")
        }
    }

    @Test(arguments: [false, true])
    func idleConnectionThatThePlatformClosedIsNotUsed(_ isReset: Bool) async throws {
        let closed = TestSignal()
        let server = try ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.answer("\(connection.number)")
            guard connection.number == 1 else { return }
            if isReset { connection.reset() } else { connection.close() }
            closed.give()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            _ = try await client.execute(.get(server.url + "/"))
            await closed.given()
            let response = try await client.execute(.post(server.url + "/paid", "content"))
            #expect(response.text == "2")
        }
        #expect(server.requests.filter { $0.line.hasPrefix("POST") }.count == 1)
    }

    @Test(arguments: [false, true])
    func idleConnectionIsFoundClosedEvenBeforeTheLoopHeardOfIt(_ isReset: Bool) async throws {
        let closed = TestSignal()
        let server = try ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.answer("\(connection.number)")
            guard connection.number == 1 else { return }
            if isReset { connection.reset() } else { connection.close() }
            closed.give()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, loops in
            let url = server.url
            let text = try await UpstreamTestBed.onLoop(loops[0]) {
                _ = try await client.execute(.get(url + "/"))
                // Holds the loop, so that its epoll set cannot tell.
                guard closed.wait() else { return "" }
                return try await client.execute(.post(url + "/paid", "content")).text
            }
            #expect(text == "2")
        }
        #expect(server.requests.filter { $0.line.hasPrefix("POST") }.count == 1)
    }

    /// An answer that nobody asked for must not become the answer to the next request, which may be another tenant's.
    @Test(arguments: [false, true])
    func unaskedAnswerOnAnIdleConnectionIsNeverTakenForTheNext(_ holdsLoop: Bool) async throws {
        let (received, sent) = (TestSignal(), TestSignal())
        let server = try UpstreamTestBed.staleServer(after: received, sent)
        defer { server.stop() }
        try await UpstreamTestBed.run { client, loops in
            let url = server.url
            let text = try await UpstreamTestBed.onLoop(loops[0]) {
                _ = try await client.execute(.get(url + "/"))
                received.give()
                if holdsLoop {
                    guard sent.wait() else { return "" }
                } else {
                    await sent.given()
                }
                return try await client.execute(.post(url + "/paid", "content")).text
            }
            #expect(text == "2")
        }
    }

    @Test(arguments: [10, 40_000, 200_000])
    func bytesBehindAnAnswerAreNotTakenForTheNext(_ count: Int) async throws {
        let content = [UInt8](repeating: 0x61, count: count)
        let server = try ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n".utf8)
            let unasked = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstale".utf8)
            connection.send(connection.number == 1 ? head + content + unasked : head + content)
            connection.readToEnd()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            for _ in 0..<2 {
                let response = try await client.execute(.post(server.url + "/", "content"))
                let isRight = response.body == content
                #expect(isRight)
            }
        }
    }

    @Test func refusedConnectionSentNothing() async throws {
        let server = try ScriptedServer { _ in }
        server.stop()
        try await UpstreamTestBed.run { client, _ in
            let error = try await UpstreamTestBed.failure(of: .post(server.url + "/", "x"), client)
            #expect(error.reason == .connect)
            #expect(error.bytesSent == 0)
        }
    }

    @Test func hostWithoutAddressSentNothing() async throws {
        try await UpstreamTestBed.run { client, _ in
            // More than once: what a failure leaves behind must not reach the next exchange.
            for _ in 0..<3 {
                let error = try await UpstreamTestBed.failure(of: .post("https://platform.invalid/", "x"), client)
                #expect(error.reason == .resolve)
                #expect(error.bytesSent == 0)
            }
        }
    }

    @Test func fileThatIsShorterThanItsRangeIsReportedAsOurFault() async throws {
        let server = try ScriptedServer { connection in connection.readToEnd() }
        defer { server.stop() }
        let file = try UpstreamExchangeTests.BodyFile(count: 10)
        try await UpstreamTestBed.run { client, _ in
            let request = HTTPTransportRequest(
                method: .post,
                url: server.url + "/",
                body: [.bytes([1]), .file(file, 0..<11)]
            )
            let error = try await UpstreamTestBed.failure(of: request, client)
            #expect(error.reason == .refused)
        }
    }
}
