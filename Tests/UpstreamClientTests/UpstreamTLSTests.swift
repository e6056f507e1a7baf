import EventLoop
import Glibc
import HTTPWire
import Telemetry
import TestSupport
import Testing
import UpstreamClient

@Suite(.timeLimit(.minutes(1)))
struct UpstreamTLSTests {
    private static func configuration(trusting front: TLSFront) -> UpstreamClient.Configuration {
        var configuration = UpstreamClient.Configuration()
        configuration.certificateAuthorityFile = front.authorityFile
        return configuration
    }

    private static func withFront<Value: Sendable>(
        ending: TLSFront.Ending = .orderly,
        script: @escaping @Sendable (ScriptedConnection) -> Void,
        _ body: (TLSFront, ScriptedServer, UpstreamClient) async throws -> Value
    ) async throws -> Value {
        let server = try ScriptedServer(script)
        defer { server.stop() }
        let front = try await TLSFront(to: server, ending: ending)
        defer { front.stop() }
        return try await UpstreamTestBed.run(Self.configuration(trusting: front)) { client, _ in
            try await body(front, server, client)
        }
    }

    @Test func privateAuthorityIsTrustedWhenItsFileIsSet() async throws {
        try await Self.withFront { connection in
            while let request = connection.readRequest() {
                connection.answer("\(connection.number) \(request.body.count)")
            }
        } _: { front, server, client in
            for count in [0, 10, 60_000, 1_000_000] {
                let request = HTTPTransportRequest(
                    method: .post,
                    url: front.url + "/",
                    body: [.bytes([UInt8](repeating: 7, count: count))]
                )
                let response = try await client.execute(request)
                #expect(response.text == "1 \(count)")
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test func unknownAuthorityIsRefused() async throws {
        let server = try ScriptedServer { connection in connection.readRequest() }
        defer { server.stop() }
        let front = try await TLSFront(to: server)
        defer { front.stop() }
        try await UpstreamTestBed.run { client, _ in
            let error = try await UpstreamTestBed.failure(of: .post(front.url + "/", "content"), client)
            #expect(error.reason == .tls)
            #expect(error.bytesSent == 0)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func certificateForAnotherHostIsRefused() async throws {
        try await Self.withFront { connection in
            connection.readRequest()
        } _: { front, server, client in
            let url = "https://127.0.0.1:\(front.port)/"
            let error = try await UpstreamTestBed.failure(of: .post(url, "content"), client)
            #expect(error.reason == .tls)
            #expect(error.bytesSent == 0)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func serverWithoutTLSIsRefused() async throws {
        let server = try ScriptedServer { connection in
            connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            connection.readToEnd()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            let url = "https://localhost:\(server.port)/"
            let error = try await UpstreamTestBed.failure(of: .post(url, "content"), client)
            #expect(error.reason == .tls)
            #expect(error.bytesSent == 0)
        }
    }

    @Test func missingAuthorityFileIsReportedAtOnce() throws {
        var configuration = UpstreamClient.Configuration()
        configuration.certificateAuthorityFile = "/nonexistent/ca.pem"
        let loop = try EventLoop(index: 0)
        defer { loop.stop() }
        let error = #expect(throws: UpstreamClientError.self) {
            try UpstreamClient(
                configuration: configuration,
                loops: [loop],
                logger: Logger(sink: UpstreamTestBed.NoSink())
            )
        }
        #expect(error?.code == .certificateAuthorityFile)
        #expect(error?.message.contains("/nonexistent/ca.pem") == true)
    }

    @Test func contentReachesAPlatformThatClosesWithoutAnAnswerExactlyOnce() async throws {
        try await Self.withFront { connection in
            guard connection.readRequest() != nil else { return }
            connection.answer("first")
            connection.readRequest()
        } _: { front, server, client in
            _ = try await client.execute(.get(front.url + "/"))
            let error = try await UpstreamTestBed.failure(of: .post(front.url + "/paid", "content"), client)
            #expect(error.reason == .reset)
            #expect(error.bytesSent == 7)
            #expect(server.requests.filter { $0.line.hasPrefix("POST") }.count == 1)
        }
    }

    @Test func idleConnectionThatThePlatformClosedIsNotUsed() async throws {
        let closed = TestSignal()
        try await Self.withFront { connection in
            guard connection.readRequest() != nil else { return }
            connection.answer("\(connection.number)")
            guard connection.number == 1 else { return }
            connection.finishSending()
            // The front has passed the end on once it ends its own side.
            connection.readToEnd()
            closed.give()
        } _: { front, server, client in
            _ = try await client.execute(.get(front.url + "/"))
            await closed.given()
            let response = try await client.execute(.post(front.url + "/paid", "content"))
            #expect(response.text == "2")
            #expect(server.requests.filter { $0.line.hasPrefix("POST") }.count == 1)
        }
    }

    @Test(arguments: [TLSFront.Ending.orderly, .abrupt])
    func closeDelimitedAnswerCountsOnlyWhenTheConnectionEndsInOrder(_ ending: TLSFront.Ending) async throws {
        try await Self.withFront(ending: ending) { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\n\r\nwhole or not")
        } _: { front, _, client in
            let request = HTTPTransportRequest.post(front.url + "/", "content")
            if ending == .orderly {
                let response = try await client.execute(request)
                #expect(response.text == "whole or not")
            } else {
                let error = try await UpstreamTestBed.failure(of: request, client)
                #expect(error.reason == .malformed)
                #expect(error.bytesSent == 7)
            }
        }
    }

    @Test func anotherConnectionGoesOnWithTheSessionOfTheFirst() async throws {
        try await Self.withFront { connection in
            connection.readRequest()
            connection.answer("ok", fields: "Connection: close\r\n")
        } _: { front, server, client in
            for isResumed in [false, true, true] {
                _ = try await client.execute(.get(front.url + "/"))
                #expect(await front.nextIsResumed() == isResumed)
            }
            #expect(server.connectionCount == 3)
        }
    }

    /// What the reader had no room for waits within OpenSSL, where no event tells of it.
    @Test func aStreamWhoseReaderIsSlowComesWhole() async throws {
        let content = UpstreamExchangeTests.bytes(2 << 20, seed: 11)
        try await Self.withFront { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n")
            connection.send(content)
            connection.readToEnd()
        } _: { front, _, client in
            let stream = try await client.open(.get(front.url + "/", timeout: .seconds(50)))
            var received: [UInt8] = []
            while let piece = try await stream.content.source.next() {
                received += piece
                // Time in which more comes than is kept.
                try await Task.sleep(for: .milliseconds(5))
            }
            let areEqual = received == content
            #expect(areEqual)
        }
    }

    /// A record of which the socket takes a part only is offered again, and must be the same then.
    @Test func contentComesWholeToAPlatformThatIsSlow() async throws {
        let content = UpstreamExchangeTests.bytes(12 << 20, seed: 12)
        try await Self.withFront { connection in
            guard connection.readHead() != nil else { return }
            var position = 0
            var isRight = true
            while position < content.count, isRight {
                // Time in which everything on the way here fills up.
                if position % (3 << 20) == 0 { usleep(100_000) }
                let piece = connection.read(1 << 18)
                isRight = piece.map { $0[...] == content[position..<position + $0.count] } ?? false
                position += 1 << 18
            }
            connection.answer(isRight ? "whole" : "broken")
        } _: { front, _, client in
            var request = HTTPTransportRequest.post(front.url + "/", "", timeout: .seconds(50))
            request.body = [.bytes(content)]
            let response = try await client.execute(request)
            #expect(response.text == "whole")
        }
    }

    /// The rest of the last TLS record lies decrypted within OpenSSL, where no look at the socket finds it.
    @Test(arguments: [10, 40_000, 200_000])
    func bytesBehindAnAnswerAreNotTakenForTheNext(_ count: Int) async throws {
        let content = [UInt8](repeating: 0x61, count: count)
        try await Self.withFront { connection in
            guard connection.readRequest() != nil else { return }
            let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n".utf8)
            let unasked = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstale".utf8)
            connection.send(connection.number == 1 ? head + content + unasked : head + content)
            connection.readToEnd()
        } _: { front, _, client in
            for _ in 0..<2 {
                let response = try await client.execute(.post(front.url + "/", "content"))
                let isRight = response.body == content
                #expect(isRight)
            }
        }
    }
}
