import EventLoop
import Glibc
import HTTPWire
import Locking
import TestSupport
import Testing
import UpstreamClient

@Suite(.timeLimit(.minutes(1)))
struct WebSocketChannelTests {
    @Test(arguments: [0, 1, 125, 126, 640, 65_535, 65_536, 131_072])
    func messagesOfAllSizesGoBothWays(count: Int) async throws {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let seen = Locked<ScriptedConnection.Frame?>(nil)
        try await UpstreamTestBed.withWebSocket { connection in
            connection.acceptWebSocket()
            seen.withLock { $0 = connection.readFrame() }
            connection.sendFrame(0x82, payload)
            connection.readToEnd()
        } _: { channel in
            await channel.send(.binary(payload))
            #expect(await channel.receive() == .binary(payload))
            #expect(seen.withLock { $0 } == ScriptedConnection.Frame(0x82, payload, isMasked: true))
        }
    }

    @Test func largeMessagesAreWhole() async throws {
        var configuration = WebSocketConfiguration()
        configuration.limits.frameBytes = 16 << 20
        configuration.limits.messageBytes = 16 << 20
        let payload = [UInt8](repeating: 0x41, count: 5_000_000)
        try await UpstreamTestBed.withWebSocket(configuration) { connection in
            connection.acceptWebSocket()
            connection.echoFrames()
        } _: { channel in
            for _ in 0..<3 {
                await channel.send(WebSocketMessage(kind: .text, bytes: payload))
                #expect(await channel.receive() == WebSocketMessage(kind: .text, bytes: payload))
            }
        }
    }

    @Test func fragmentsAreJoinedAroundAPing() async throws {
        let pong = Locked<ScriptedConnection.Frame?>(nil)
        try await UpstreamTestBed.withWebSocket { connection in
            connection.acceptWebSocket()
            connection.sendFrame(0x01, [0xE4, 0xBB])
            connection.sendFrame(0x89, [1, 2, 3])
            connection.sendFrame(0x00, [])
            connection.sendFrame(0x80, [0x8A])
            pong.withLock { $0 = connection.readFrame() }
            connection.sendText("done")
            connection.readToEnd()
        } _: { channel in
            #expect(await channel.receive() == .text("今"))
            #expect(await channel.receive() == .text("done"))
            #expect(pong.withLock { $0 } == ScriptedConnection.Frame(0x8A, [1, 2, 3], isMasked: true))
        }
    }

    @Test func ourPingIsAnswered() async throws {
        try await UpstreamTestBed.withWebSocket { connection in
            connection.acceptWebSocket()
            connection.sendFrame(0x8A, [])
            guard let ping = connection.readFrame(), ping.first == 0x89 else { return }
            connection.sendFrame(0x8A, ping.payload)
            connection.readToEnd()
        } _: { channel in
            #expect(await channel.ping(within: .seconds(10)))
        }
    }

    // MARK: The end

    @Test(arguments: [(1000, ""), (1001, "restart"), (1011, "今天"), (4001, "why"), (3000, "")])
    func closeOfTheServerPassesThroughAndIsAnswered(code: Int, reason: String) async throws {
        let payload = [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8)
        let answer = Locked<ScriptedConnection.Frame?>(nil)
        try await UpstreamTestBed.withWebSocket { connection in
            connection.acceptWebSocket()
            connection.sendText("last")
            connection.sendFrame(0x88, payload)
            answer.withLock { $0 = connection.readFrame() }
        } _: { channel in
            #expect(await channel.receive() == .text("last"))
            let close = WebSocketClose(try #require(WebSocketCloseCode(rawValue: UInt16(code))), reason: reason)
            #expect(await channel.receiveEnd() == .closedByPeer(close))
            #expect(await channel.receiveEnd() == .closedByPeer(close))
            #expect(await channel.send(.text("late")) == false)
            await until { answer.withLock { $0 } != nil }
            #expect(answer.withLock { $0 } == ScriptedConnection.Frame(0x88, payload, isMasked: true))
        }
    }

    @Test func closeWithoutACodeHasNone() async throws {
        try await UpstreamTestBed.withWebSocket { connection in
            connection.acceptWebSocket()
            connection.sendFrame(0x88, [])
            connection.readToEnd()
        } _: { channel in
            #expect(await channel.receiveEnd() == .closedByPeer(.withoutCode))
        }
    }

    @Test func ourCloseIsConfirmed() async throws {
        let frames = Locked<[ScriptedConnection.Frame?]>([])
        try await UpstreamTestBed.withWebSocket { connection in
            connection.acceptWebSocket()
            let first = connection.readFrame()
            connection.sendText("thrown away")
            let second = connection.readFrame()
            frames.withLock { $0 = [first, second] }
            connection.sendFrame(0x88, [0x03, 0xE8])
        } _: { channel in
            await channel.send(.text("end"))
            channel.close(WebSocketClose(.goingAway, reason: "reconnect"))
            channel.close(WebSocketClose(.normalClosure))
            #expect(await channel.receiveEnd() == .closed(WebSocketClose(.goingAway, reason: "reconnect")))
            let close = [0x03, 0xE9] + Array("reconnect".utf8)
            #expect(
                frames.withLock { $0 } == [
                    ScriptedConnection.Frame(0x81, Array("end".utf8)), ScriptedConnection.Frame(0x88, close),
                ]
            )
        }
    }

    @Test func closeThatNobodyConfirmsEndsInTime() async throws {
        var configuration = WebSocketConfiguration()
        configuration.closeTimeout = .milliseconds(100)
        let ended = TestSignal()
        try await UpstreamTestBed.withWebSocket(configuration) { connection in
            connection.acceptWebSocket()
            connection.readToEnd()
            ended.give()
        } _: { channel in
            channel.close(WebSocketClose(.normalClosure))
            #expect(await channel.receiveEnd() == .closed(WebSocketClose(.normalClosure)))
            await ended.given()
        }
    }

    @Test func closeIsConfirmedThoughNobodyHoldsTheChannel() async throws {
        let ended = TestSignal()
        let isConfirmed = Locked(false)
        try await UpstreamTestBed.withServer { connection in
            defer { ended.give() }
            connection.acceptWebSocket()
            guard connection.readFrame()?.first == 0x88 else { return }
            // By now the channel is gone, and the connection is not.
            usleep(50_000)
            guard !connection.hasEnded else { return }
            connection.sendFrame(0x88, [])
            connection.finishSending()
            connection.readToEnd()
            isConfirmed.withLock { $0 = true }
        } _: { server, client in
            var request = WebSocketRequest(url: server.webSocketURL)
            // Not up before the server's thread has its turn, however busy the machine is.
            request.configuration.closeTimeout = .seconds(30)
            try await client.open(request).close(WebSocketClose(.normalClosure))
            await ended.given()
            #expect(isConfirmed.withLock { $0 })
        }
    }

    @Test func droppedConnectionIsLostBehindWhatCameBefore() async throws {
        try await UpstreamTestBed.withWebSocket { connection in
            connection.acceptWebSocket()
            connection.sendText("whole")
            connection.send(Array(HandMadeFrame.fromServer(0x82, [UInt8](repeating: 1, count: 500)).dropLast(100)))
        } _: { channel in
            #expect(await channel.receive() == .text("whole"))
            #expect(await channel.receiveEnd() == .lost(.disconnected))
        }
    }

    @Test func resetIsLost() async throws {
        try await UpstreamTestBed.withWebSocket { connection in
            connection.acceptWebSocket()
            _ = connection.readFrame()
            connection.reset()
        } _: { channel in
            await channel.send(.text("hello"))
            #expect(await channel.receiveEnd() == .lost(.disconnected))
            #expect(await channel.send(.text("late")) == false)
        }
    }

    static let violations: [([UInt8], UInt16)] = [
        ([0x81, 0x81, 1, 2, 3, 4, 5], 1002), ([0xC1, 0x00], 1002), ([0x83, 0x00], 1002), ([0x80, 0x00], 1002),
        ([0x81, 0x02, 0xC0, 0xAF], 1007), ([0x82, 127, 0, 0, 0, 0, 0, 2, 0, 1], 1009), ([0x88, 2, 0x03, 0xED], 1002),
    ]

    @Test(arguments: violations)
    func violationClosesWithItsCode(bytes: [UInt8], code: UInt16) async throws {
        let close = Locked<ScriptedConnection.Frame?>(nil)
        try await UpstreamTestBed.withWebSocket { connection in
            connection.acceptWebSocket()
            connection.send(bytes)
            close.withLock { $0 = connection.readFrame() }
        } _: { channel in
            guard case .violated(let error)? = await channel.receiveEnd() else {
                Issue.record("it did not end with a violation")
                return
            }
            #expect(error.closeCode.rawValue == code)
            await until { close.withLock { $0 } != nil }
            #expect(close.withLock { $0?.payload.prefix(2) } == [UInt8(code >> 8), UInt8(code & 0xFF)])
        }
    }

    @Test func serverThatAnswersNoPingIsSilent() async throws {
        var configuration = WebSocketConfiguration()
        configuration.pingInterval = .milliseconds(20)
        configuration.pongTimeout = .milliseconds(200)
        try await UpstreamTestBed.withWebSocket(configuration) { connection in
            connection.acceptWebSocket()
            connection.readToEnd()
        } _: { channel in
            #expect(await channel.receiveEnd() == .lost(.silent))
        }
    }

    @Test func cancelledReaderLeavesTheConnectionAlone() async throws {
        try await UpstreamTestBed.withWebSocket { connection in
            connection.acceptWebSocket()
            connection.echoFrames()
        } _: { channel in
            let task = Task(executorPreference: EventLoop.current?.executor) { await channel.receive() }
            await Task.yield()
            task.cancel()
            #expect(await task.value == nil)
            #expect(channel.end == nil)
            #expect(await channel.roundTrip("on"))
        }
    }

    @Test func anAbortedConnectionIsReset() async throws {
        let isReset = Locked(false)
        let ended = TestSignal()
        try await UpstreamTestBed.withWebSocket { connection in
            connection.acceptWebSocket()
            connection.readToEnd()
            isReset.withLock { $0 = errno == ECONNRESET }
            ended.give()
        } _: { channel in
            channel.abort()
            #expect(channel.end == .lost(.aborted))
            await ended.given()
            #expect(isReset.withLock { $0 })
        }
    }

    @Test func channelThatNobodyHoldsIsDropped() async throws {
        let ended = TestSignal()
        try await UpstreamTestBed.withServer { connection in
            connection.acceptWebSocket()
            connection.readToEnd()
            ended.give()
        } _: { server, client in
            _ = try await client.open(WebSocketRequest(url: server.webSocketURL))
            await ended.given()
        }
    }

    // MARK: Back-pressure

    @Test func serverIsHeldBackWhileNobodyReceives() async throws {
        let sent = Locked(0)
        let total = 400
        try await UpstreamTestBed.withWebSocket { connection in
            connection.acceptWebSocket()
            for index in 0..<total {
                connection.sendFrame(0x82, [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 100_000))
                sent.withLock { $0 += 1 }
            }
            connection.readToEnd()
        } _: { channel in
            let isHeldBack = try await Self.stopsBelow(total, sent)
            #expect(isHeldBack)
            for index in 0..<total {
                let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 100_000)
                guard await channel.receive() == .binary(payload) else {
                    Issue.record("message \(index) is another")
                    return
                }
            }
        }
    }

    @Test func senderIsHeldBackWhileTheServerDoesNotRead() async throws {
        let sent = Locked(0)
        let total = 160
        let mayRead = TestSignal()
        let isRight = Locked(false)
        try await UpstreamTestBed.withWebSocket { connection in
            connection.acceptWebSocket()
            guard mayRead.wait() else { return }
            for index in 0..<total {
                let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 100_000)
                guard let frame = connection.readFrame(), frame.payload == payload else { return }
            }
            isRight.withLock { $0 = true }
            connection.sendText("all")
            connection.readToEnd()
        } _: { channel in
            let sender = Task(executorPreference: EventLoop.current?.executor) {
                for index in 0..<total {
                    let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 100_000)
                    await channel.send(.binary(payload))
                    sent.withLock { $0 += 1 }
                }
            }
            let isHeldBack = try await Self.stopsBelow(total, sent)
            #expect(isHeldBack)
            mayRead.give()
            await sender.value
            #expect(await channel.receive() == .text("all"))
            #expect(isRight.withLock { $0 })
        }
    }

    @Test func serverThatPingsAndDoesNotReadFillsNoMemory() async throws {
        let pongs = Locked<[[UInt8]]>([])
        let isPinged = TestSignal()
        let mayRead = TestSignal()
        try await UpstreamTestBed.withWebSocket { connection in
            connection.acceptWebSocket()
            guard isPinged.wait() else { return }
            for index in 0..<50_000 { connection.sendFrame(0x89, [UInt8(index & 0xFF), UInt8(index >> 8)]) }
            connection.sendText("pinged")
            guard mayRead.wait() else { return }
            while let frame = connection.readFrame(), frame.first != 0x81 {
                if frame.first == 0x8A { pongs.withLock { $0.append(frame.payload) } }
            }
            connection.sendText("read")
            connection.readToEnd()
        } _: { channel in
            let sent = Locked(0)
            let sender = Task(executorPreference: EventLoop.current?.executor) {
                for _ in 0..<200 {
                    await channel.send(.binary([UInt8](repeating: 0, count: 100_000)))
                    sent.withLock { $0 += 1 }
                }
                await channel.send(.text("end"))
            }
            let isHeldBack = try await Self.stopsBelow(200, sent)
            #expect(isHeldBack)
            isPinged.give()
            #expect(await channel.receive() == .text("pinged"))
            mayRead.give()
            await sender.value
            #expect(await channel.receive() == .text("read"))
            // The last is answered; those before it need not be.
            #expect(pongs.withLock { $0.last } == [UInt8(49_999 & 0xFF), UInt8(49_999 >> 8)])
            #expect(pongs.withLock { $0.count } < 10)
        }
    }

    /// Whether a number that is above zero before long comes to rest below another.
    private static func stopsBelow(_ total: Int, _ number: Locked<Int>) async throws -> Bool {
        await until { number.withLock { $0 } > 0 }
        var last = -1
        while true {
            let now = number.withLock { $0 }
            if now == total { return false }
            if now == last { return true }
            last = now
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    // MARK: Many at once

    @Test func manyConnectionsEchoAtOnce() async throws {
        let server = try ScriptedServer { connection in
            connection.acceptWebSocket()
            connection.echoFrames()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run(loops: 2) { client, loops in
            let url = server.webSocketURL
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask(executorPreference: loops[number % 2].executor) {
                        let channel = try await client.open(WebSocketRequest(url: url))
                        for round in 0..<20 {
                            let bytes = [UInt8](repeating: UInt8(round), count: number * 31)
                            await channel.send(.binary(bytes))
                            let message = await channel.receive()
                            #expect(message == .binary(bytes))
                        }
                        channel.close(WebSocketClose(.normalClosure))
                        let end = await channel.untilEnd()
                        #expect(end == .closed(WebSocketClose(.normalClosure)))
                    }
                }
                try await group.waitForAll()
            }
            #expect(server.connectionCount == 100)
        }
    }
}
