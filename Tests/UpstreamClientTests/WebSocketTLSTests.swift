import HTTPWire
import Locking
import TestSupport
import Testing
import UpstreamClient

@Suite(.timeLimit(.minutes(1)))
struct WebSocketTLSTests {
    private func withFront<Value: Sendable>(
        ending: TLSFront.Ending = .orderly,
        script: @escaping @Sendable (ScriptedConnection) -> Void,
        _ body: @escaping @Sendable (WebSocketRequest, UpstreamClient) async throws -> Value
    ) async throws -> Value {
        let server = try ScriptedServer(script)
        defer { server.stop() }
        let front = try await TLSFront(to: server, ending: ending)
        defer { front.stop() }
        var configuration = UpstreamClient.Configuration()
        configuration.certificateAuthorityFile = front.authorityFile
        let request = WebSocketRequest(url: "wss://localhost:\(front.port)/")
        return try await UpstreamTestBed.run(configuration) { client, loops in
            try await UpstreamTestBed.onLoop(loops[0]) { try await body(request, client) }
        }
    }

    @Test func privateAuthorityIsTrustedWhenItsFileIsSet() async throws {
        try await self.withFront { connection in
            connection.acceptWebSocket()
            connection.echoFrames()
        } _: { request, client in
            let channel = try await client.open(request)
            for round in 0..<50 { #expect(await channel.roundTrip("message \(round)")) }
            channel.close(WebSocketClose(.normalClosure, reason: "done"))
            #expect(await channel.receiveEnd() == .closed(WebSocketClose(.normalClosure, reason: "done")))
        }
    }

    @Test func unknownAuthorityIsRefused() async throws {
        let server = try ScriptedServer { connection in connection.readToEnd() }
        defer { server.stop() }
        let front = try await TLSFront(to: server)
        defer { front.stop() }
        let request = WebSocketRequest(url: "wss://localhost:\(front.port)/")
        try await UpstreamTestBed.run { client, loops in
            let error = try await UpstreamTestBed.onLoop(loops[0]) {
                try await UpstreamTestBed.failure(of: request, client)
            }
            #expect(error.reason == .tls)
        }
    }

    @Test func certificateForAnotherHostIsRefused() async throws {
        try await self.withFront { connection in
            connection.readToEnd()
        } _: { request, client in
            let url = request.url.replacing("localhost", with: "127.0.0.1")
            let error = try await UpstreamTestBed.failure(of: WebSocketRequest(url: url), client)
            #expect(error.reason == .tls)
        }
    }

    @Test func framesOfOneRecordAreAllReceived() async throws {
        let texts = (0..<100).map { "frame \($0)" }
        try await self.withFront { connection in
            // The answer and the first frames share a record too.
            let frames = texts.map { HandMadeFrame.fromServer(0x81, Array($0.utf8)) }
            connection.acceptWebSocket(also: Array(frames[..<50].joined()))
            _ = connection.readFrame()
            connection.send(Array(frames[50...].joined()))
            connection.readToEnd()
        } _: { request, client in
            let channel = try await client.open(request)
            for text in texts[..<50] { #expect(await channel.receive() == .text(text)) }
            await channel.send(.text("go on"))
            for text in texts[50...] { #expect(await channel.receive() == .text(text)) }
        }
    }

    @Test func largeMessagesAndASlowReaderGetOn() async throws {
        let payload = (0..<120_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
        let total = 60
        try await self.withFront { connection in
            connection.acceptWebSocket()
            for _ in 0..<total { connection.sendFrame(0x82, payload) }
            for _ in 0..<total {
                guard let frame = connection.readFrame(), frame.payload == payload else { return }
            }
            connection.sendText("all")
            connection.readToEnd()
        } _: { request, client in
            let channel = try await client.open(request)
            // Records wait in the TLS layer while nobody receives.
            try await Task.sleep(for: .milliseconds(300))
            for _ in 0..<total { #expect(await channel.receive() == .binary(payload)) }
            for _ in 0..<total { await channel.send(.binary(payload)) }
            #expect(await channel.receive() == .text("all"))
        }
    }

    @Test(arguments: [TLSFront.Ending.orderly, .abrupt])
    func connectionThatEndsWithoutACloseFrameIsLost(ending: TLSFront.Ending) async throws {
        try await self.withFront(ending: ending) { connection in
            connection.acceptWebSocket()
            connection.sendText("last")
        } _: { request, client in
            let channel = try await client.open(request)
            #expect(await channel.receive() == .text("last"))
            #expect(await channel.receiveEnd() == .lost(.disconnected))
        }
    }

    @Test func proxyIsAskedForATunnel() async throws {
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.answer("no", status: "407 Proxy Authentication Required")
        }
        defer { server.stop() }
        var configuration = UpstreamClient.Configuration()
        configuration.proxy = server.url
        try await UpstreamTestBed.run(configuration) { client, loops in
            let request = WebSocketRequest(url: "wss://platform.example/ws?token=secret")
            let error = try await UpstreamTestBed.onLoop(loops[0]) {
                try await UpstreamTestBed.failure(of: request, client)
            }
            #expect(error.reason == .connect || error.reason == .reset)
            let head = try #require(server.requests.first)
            #expect(head.line == "CONNECT platform.example:443 HTTP/1.1")
            #expect(!head.head.contains("secret"))
        }
    }
}
