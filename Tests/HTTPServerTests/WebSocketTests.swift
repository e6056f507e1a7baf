import HTTPWire
import Locking
import TestSupport
import Testing

@testable import HTTPServer

/// A handler made of a closure.
private struct Handler: WebSocketHandler {
    var talk: @Sendable (any WebSocketChannel) async -> Void

    func run(_ channel: any WebSocketChannel) async {
        await self.talk(channel)
    }

    static let echo = Handler { channel in
        while let message = await channel.receive() { await channel.send(message) }
    }
}

/// A handler that a drain does not end.
private struct PatientHandler: WebSocketHandler {
    let isDraining = Signal()

    func run(_ channel: any WebSocketChannel) async {
        while let message = await channel.receive() { await channel.send(message) }
    }

    func drain(_ channel: any WebSocketChannel) {
        self.isDraining.set()
    }
}

extension TestClient {
    /// Opens a WebSocket connection.
    fileprivate func upgrade(query: String = "", early: [UInt8] = [], fields: String = "") async throws -> Answer {
        let head =
            "GET /ws?\(query) HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\(fields)\r\n"
        try await self.send(Array(head.utf8) + early)
        // What follows a 101 is not an answer, and the next one would be waited for.
        return try await self.answer(to: "HEAD")
    }
}

@Suite struct WebSocketTests {
    private static func responder(
        _ handler: any WebSocketHandler = Handler.echo,
        change: @escaping @Sendable (inout WebSocketConfiguration) -> Void = { _ in }
    ) -> Responder {
        Responder { request in
            do throws(WebSocketHandshakeError) {
                let handshake = try WebSocketServerHandshake(request.head)
                var configuration = WebSocketConfiguration()
                change(&configuration)
                var response = HTTPResponse(status: HTTPStatus(101))
                response.fields.append(.xRequestID, "r-1")
                response.upgrade = WebSocketUpgrade(
                    handshake,
                    subprotocol: handshake.subprotocol(of: ["speech"]),
                    configuration: configuration,
                    handler: handler
                )
                return response
            } catch {
                return .text(error.status.code, error.message)
            }
        }
    }

    @Test func aConnectionBecomesAWebSocket() async throws {
        try await withServer(Self.responder()) { server in
            let client = try server.client()
            let answer = try await client.upgrade(fields: "Sec-WebSocket-Protocol: other, speech\r\n")
            #expect(answer.status == 101)
            #expect(answer.fields["upgrade"] == "websocket")
            #expect(answer.fields["connection"] == "Upgrade")
            #expect(answer.fields["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            #expect(answer.fields["sec-websocket-protocol"] == "speech")
            #expect(answer.fields["x-request-id"] == "r-1")
            #expect(answer.fields["content-length"] == nil)
            try await client.send(HandMadeFrame.fromClient(0x81, Array("今天".utf8)))
            #expect(try await client.bytes(8) == HandMadeFrame.fromServer(0x81, Array("今天".utf8)))
            #expect(server.server.statistics.openWebSockets == 1)
            #expect(server.server.statistics.openConnections == 1)
            try await client.send(HandMadeFrame.closeFromClient(1000, "done"))
            let (rest, end) = try await client.end()
            #expect(rest == HandMadeFrame.closeFromServer(1000, "done"))
            #expect(end == .closed)
            client.close()
            await until { server.server.statistics.openConnections == 0 }
            #expect(server.server.statistics.openWebSockets == 0)
            #expect(server.server.statistics.openedWebSockets == 1)
            #expect(server.server.statistics.receivedMessages == 1)
            #expect(server.server.statistics.sentMessages == 1)
        }
    }

    @Test func framesThatComeWithTheRequestAreNotLost() async throws {
        try await withServer(Self.responder()) { server in
            let client = try server.client()
            let frames = HandMadeFrame.fromClient(0x82, [1]) + HandMadeFrame.fromClient(0x82, [2])
            #expect(try await client.upgrade(early: frames + [0x82]).status == 101)
            try await client.send([0x81] + HandMadeFrame.key + HandMadeFrame.masked([3]))
            #expect(
                try await client.bytes(9)
                    == HandMadeFrame.fromServer(0x82, [1]) + HandMadeFrame.fromServer(0x82, [2])
                    + HandMadeFrame.fromServer(0x82, [3])
            )
        }
    }

    @Test func aRefusedHandshakeIsAnOrdinaryAnswer() async throws {
        try await withServer(Self.responder()) { server in
            let client = try server.client()
            let answer = try await client.exchange("GET /ws HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(answer.status == 426)
            // And the connection goes on.
            #expect(try await client.upgrade().status == 101)
        }
    }

    @Test func messagesOfAllSizesComeBack() async throws {
        try await withServer(Self.responder()) { server in
            let client = try server.client()
            #expect(try await client.upgrade().status == 101)
            var sent: [UInt8] = []
            var expected: [UInt8] = []
            for count in [0, 1, 125, 126, 127, 640, 32_000, 65_535, 3] {
                let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                sent += HandMadeFrame.fromClient(0x82, content)
                expected += HandMadeFrame.fromServer(0x82, content)
            }
            let answer = expected
            async let received = client.bytes(answer.count)
            try await client.send(sent)
            #expect(try await received == answer)
        }
    }

    @Test func aSlowReaderIsWaitedForAndNothingIsKeptForItBeyondTheBounds() async throws {
        let responder = Self.responder {
            $0.sendBuffer = 64 << 10
            $0.receiveBuffer = 64 << 10
        }
        try await withServer(responder) { server in
            let client = try server.client(receiveBuffer: 4096)
            #expect(try await client.upgrade().status == 101)
            let content = [UInt8](repeating: 7, count: 32_000)
            let frame = HandMadeFrame.fromClient(0x82, content)
            let count = 400
            // The client's own socket takes only so much: the server has stopped to read.
            async let sending: Void = client.send((0..<count).flatMap { _ in frame })
            await until { server.server.statistics.webSocketBufferBytes > 64 << 10 }
            try await Task.sleep(for: .milliseconds(200))
            #expect(server.server.statistics.webSocketBufferBytes < 400 << 10)
            let expected = HandMadeFrame.fromServer(0x82, content)
            for _ in 0..<count { #expect(try await client.bytes(expected.count) == expected) }
            try await sending
            await until { server.server.statistics.webSocketBufferBytes == 0 }
        }
    }

    @Test func messagesThatOneOwnerDoesNotEndCloseNoConnectionOfAnother() async throws {
        let responder = Responder { request in
            do throws(WebSocketHandshakeError) {
                let handshake = try WebSocketServerHandshake(request.head)
                var response = HTTPResponse(status: HTTPStatus(101))
                response.upgrade = WebSocketUpgrade(handshake, owner: request.head.query, handler: Handler.echo)
                return response
            } catch {
                return .text(error.status.code, error.message)
            }
        }
        try await withServer(responder, configuration: .with { $0.webSocketBufferBytes = 4000 }) { server in
            let begun = HandMadeFrame.fromClient(0x02, [UInt8](repeating: 1, count: 600))
            func begin(_ owner: String) async throws -> TestClient {
                let client = try server.client()
                #expect(try await client.upgrade(query: owner).status == 101)
                try await client.send(begun)
                return client
            }
            let kept = try await begin("greedy")
            await until { server.server.statistics.webSocketBufferBytes == 600 }
            // 1013.
            let refused = try await begin("greedy")
            #expect(try await refused.bytes(4).suffix(2) == [0x03, 0xF5])
            for owner in ["a", "b", "c", "d"] {
                let other = try await begin(owner)
                try await other.send(HandMadeFrame.fromClient(0x80, [2]))
                let echo = HandMadeFrame.fromServer(0x82, [UInt8](repeating: 1, count: 600) + [2])
                #expect(try await other.bytes(echo.count) == echo)
            }
            withExtendedLifetime(kept) {}
        }
    }

    @Test func aClientThatVanishesIsTold() async throws {
        let end = Locked<WebSocketEnd?>(nil)
        let handler = Handler { channel in
            while await channel.receive() != nil {}
            end.withLock { $0 = channel.end }
        }
        try await withServer(Self.responder(handler)) { server in
            let client = try server.client()
            #expect(try await client.upgrade().status == 101)
            client.reset()
            await until { end.withLock { $0 } == .lost(.disconnected) }
            let silent = try server.client()
            end.withLock { $0 = nil }
            #expect(try await silent.upgrade().status == 101)
            silent.close()
            await until { end.withLock { $0 } == .lost(.disconnected) }
        }
    }

    @Test func whoDoesNotAnswerPingsIsLost() async throws {
        let end = Locked<WebSocketEnd?>(nil)
        let handler = Handler { channel in
            let last = await channel.untilEnd()
            end.withLock { $0 = last }
        }
        let responder = Self.responder(handler) {
            $0.pingInterval = .milliseconds(20)
            $0.pongTimeout = .milliseconds(60)
        }
        try await withServer(responder) { server in
            let client = try server.client()
            #expect(try await client.upgrade().status == 101)
            #expect(try await client.bytes(2) == [0x89, 8])
            await until { end.withLock { $0 } == .lost(.silent) }
        }
    }

    @Test func theHandlersEndClosesTheConnection() async throws {
        try await withServer(Self.responder(Handler { _ in })) { server in
            let client = try server.client()
            #expect(try await client.upgrade().status == 101)
            #expect(try await client.bytes(4) == HandMadeFrame.closeFromServer(1000))
            try await client.send(HandMadeFrame.closeFromClient(1000))
            #expect(try await client.end().end == .closed)
        }
    }

    @Test func whoDropsAConnectionResetsIt() async throws {
        try await withServer(Self.responder(Handler { $0.abort() })) { server in
            let client = try server.client()
            #expect(try await client.upgrade().status == 101)
            #expect(try await client.end().end == .reset)
        }
    }

    @Test func brokenFramesAreAnsweredWithTheirCode() async throws {
        try await withServer(Self.responder()) { server in
            let client = try server.client()
            #expect(try await client.upgrade().status == 101)
            // Much more than is looked at: the close must reach the client all the same.
            try await client.send([0x82, 0xFF, 0, 0, 0, 0, 0, 2, 0, 1] + [UInt8](repeating: 0, count: 131_073))
            let (rest, end) = try await client.end()
            #expect(rest.prefix(4) == [0x88, 0x2A, 0x03, 0xF1])
            #expect(end == .closed)
        }
    }

    // MARK: - Limits and ends of the server

    @Test func whoComesBeyondTheMostIsTold() async throws {
        try await withServer(Self.responder(), configuration: .with { $0.maximumWebSockets = 1 }) { server in
            let first = try server.client()
            #expect(try await first.upgrade().status == 101)
            let second = try server.client()
            let refusal = try await second.upgrade()
            #expect(refusal.status == 503)
            #expect(refusal.fields["retry-after"] == "1")
            first.close()
            await until { server.server.statistics.openWebSockets == 0 }
            let third = try server.client()
            #expect(try await third.upgrade().status == 101)
        }
    }

    @Test func drainingClosesWith1001() async throws {
        try await withServer(Self.responder()) { server in
            let client = try server.client()
            #expect(try await client.upgrade().status == 101)
            let draining = Task { await server.server.drain(within: .seconds(10)) }
            let close = HandMadeFrame.closeFromServer(1001, "The server is shutting down.")
            #expect(try await client.bytes(close.count) == close)
            try await client.send(HandMadeFrame.closeFromClient(1001))
            #expect(try await client.end().end == .closed)
            client.close()
            await draining.value
            #expect(server.server.statistics.openConnections == 0)
        }
    }

    @Test func aHandlerMayGoOnUntilTheTimeIsUp() async throws {
        let handler = PatientHandler()
        try await withServer(Self.responder(handler)) { server in
            let client = try server.client()
            #expect(try await client.upgrade().status == 101)
            // Three quarters of it are the handler's, which is time enough for a message on a busy machine.
            let draining = Task { await server.server.drain(within: .seconds(4)) }
            await handler.isDraining.wait()
            try await client.send(HandMadeFrame.fromClient(0x82, [1]))
            #expect(try await client.bytes(3) == HandMadeFrame.fromServer(0x82, [1]))
            let close = HandMadeFrame.closeFromServer(1001, "The server is shutting down.")
            #expect(try await client.bytes(close.count) == close)
            // What is closed need not be waited for.
            try await client.send(HandMadeFrame.closeFromClient(1001))
            client.close()
            await draining.value
        }
    }

    @Test func stoppingSaysGoodbyeAndCancels() async throws {
        let isCancelled = Signal()
        let began = Signal()
        let handler = Handler { _ in
            began.set()
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
            isCancelled.set()
        }
        try await withServer(Self.responder(handler)) { server in
            let client = try server.client()
            #expect(try await client.upgrade().status == 101)
            await began.wait()
            // Unread bytes would make the end a reset, and the close be lost.
            try await client.send(HandMadeFrame.fromClient(0x82, [UInt8](repeating: 0, count: 1000)))
            await server.server.stop()
            await isCancelled.wait()
            let (rest, end) = try await client.end()
            #expect(rest == HandMadeFrame.closeFromServer(1001, "The server is shutting down."))
            #expect(end == .closed)
        }
    }

    @Test func manySessionsAtRealTimeRate() async throws {
        try await withServer(Self.responder(), loops: 2) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in UInt8(0)..<20 {
                    group.addTask {
                        let client = try server.client()
                        #expect(try await client.upgrade().status == 101)
                        let frame = [UInt8](repeating: number, count: 640)
                        for _ in 0..<50 {
                            try await client.send(HandMadeFrame.fromClient(0x82, frame))
                            let expected = HandMadeFrame.fromServer(0x82, frame)
                            #expect(try await client.bytes(expected.count) == expected)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(server.server.statistics.receivedMessages == 1000)
        }
    }
}
