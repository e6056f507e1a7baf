import EventLoop
import Glibc
import HTTPWire
import Locking
import TestSupport
import Testing
import UpstreamClient

@Suite(.timeLimit(.minutes(1)))
struct WebSocketOpeningTests {
    @Test func requestSaysWhatTheHandshakeNeedsAndWhatTheCallerWants() async throws {
        try await UpstreamTestBed.withServer { connection in
            connection.acceptWebSocket()
            connection.echoFrames()
        } _: { server, client in
            var request = WebSocketRequest(url: server.webSocketURL + "api/v1/ws/evaluate?nonce=a%2Bb")
            request.fields.append(.authorization, "Bearer secret")
            request.fields.append(.upgrade, "h2c")
            request.fields.append(.secWebSocketExtensions, "permessage-deflate")
            let channel = try await client.open(request)
            #expect(channel.end == nil)
            let head = try #require(server.requests.first)
            #expect(head.line == "GET /api/v1/ws/evaluate?nonce=a%2Bb HTTP/1.1")
            #expect(head.field("Host") == "127.0.0.1:\(server.port)")
            #expect(head.field("Authorization") == "Bearer secret")
            #expect(head.field("Sec-WebSocket-Version") == "13")
            #expect(head.field("Sec-WebSocket-Key")?.count == 24)
            #expect(head.field("Sec-WebSocket-Extensions") == nil)
            let upgrades = head.head.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("upgrade:") }
            #expect(upgrades == ["Upgrade: websocket"])
        }
    }

    @Test func everyConnectionHasItsOwnKey() async throws {
        try await UpstreamTestBed.withServer { connection in
            connection.acceptWebSocket()
            connection.echoFrames()
        } _: { server, client in
            for _ in 0..<3 { _ = try await client.open(WebSocketRequest(url: server.webSocketURL)) }
            #expect(Set(server.requests.map { $0.field("Sec-WebSocket-Key") }).count == 3)
            #expect(server.connectionCount == 3)
        }
    }

    @Test func messageRightBehindTheAnswerIsReceived() async throws {
        try await UpstreamTestBed.withServer { connection in
            connection.acceptWebSocket(also: HandMadeFrame.fromServer(0x81, Array("early".utf8)))
            connection.echoFrames()
        } _: { server, client in
            let channel = try await client.open(WebSocketRequest(url: server.webSocketURL))
            #expect(await channel.receive() == .text("early"))
        }
    }

    // MARK: Refusals

    static let refusals: [String] = [
        "Content-Length: 14\r\n\r\n{\"code\":40100}",
        "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"cod\r\n9\r\ne\":40100}\r\n0\r\n\r\n",
        "Connection: close\r\n\r\n{\"code\":40100}",
    ]

    @Test(arguments: refusals)
    func refusalBringsStatusFieldsAndContent(answer: String) async throws {
        try await UpstreamTestBed.withServer { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 401 Unauthorized\r\nx-trace-id: t1\r\n\(answer)")
        } _: { server, client in
            let response = try await UpstreamTestBed.refusal(WebSocketRequest(url: server.webSocketURL), client)
            #expect(response.status == 401)
            #expect(response.fields[.xTraceID] == "t1")
            #expect(response.text == #"{"code":40100}"#)
        }
    }

    @Test func refusalWithoutContentDoesNotWait() async throws {
        try await UpstreamTestBed.withServer { connection in
            connection.readRequest()
            connection.answer("", status: "503 Service Unavailable")
            connection.readToEnd()
        } _: { server, client in
            let response = try await UpstreamTestBed.refusal(WebSocketRequest(url: server.webSocketURL), client)
            #expect(response.status == 503 && response.body.isEmpty)
        }
    }

    @Test func contentOfARefusalIsCut() async throws {
        try await UpstreamTestBed.withServer { connection in
            connection.readRequest()
            connection.answer(String(repeating: "x", count: 1 << 20), status: "403 Forbidden")
        } _: { server, client in
            let response = try await UpstreamTestBed.refusal(WebSocketRequest(url: server.webSocketURL), client)
            #expect(response.status == 403)
            #expect(response.body.count == 64 << 10)
        }
    }

    @Test func refusalWhoseContentNeverEndsIsOneAllTheSame() async throws {
        try await UpstreamTestBed.withServer { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 100\r\n\r\npart")
            connection.readToEnd()
        } _: { server, client in
            var response: HTTPTransportResponse?
            // On a busy machine the time may be up before the answer's head comes; then it is tried with more of it.
            for timeout in [Duration.milliseconds(300), .seconds(3), .seconds(9)] where response == nil {
                let request = WebSocketRequest(url: server.webSocketURL, timeout: timeout)
                do {
                    response = try await UpstreamTestBed.refusal(request, client)
                } catch WebSocketOpenError.failed(let error) {
                    #expect(error.reason == .timeout)
                }
            }
            #expect(response?.status == 401)
            #expect(response?.text == "part")
        }
    }

    // MARK: Failures

    @Test func serverThatNeverAnswersMeetsTheDeadline() async throws {
        try await UpstreamTestBed.withServer { connection in
            connection.readToEnd()
        } _: { server, client in
            let began = ContinuousClock.now
            let request = WebSocketRequest(url: server.webSocketURL, timeout: .milliseconds(200))
            let error = try await UpstreamTestBed.failure(of: request, client)
            #expect(error.reason == .timeout)
            #expect(ContinuousClock.now - began < .seconds(10))
        }
    }

    static let nonsense: [String] = [
        "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: \(String(repeating: "a", count: 80_000))\r\n\r\n",
    ]

    @Test(arguments: nonsense)
    func answerThatDoesNotFitIsRefused(answer: String) async throws {
        try await UpstreamTestBed.withServer { connection in
            connection.readRequest()
            connection.send(answer)
            connection.readToEnd()
        } _: { server, client in
            let error = try await UpstreamTestBed.failure(of: WebSocketRequest(url: server.webSocketURL), client)
            #expect(error.reason == .malformed)
        }
    }

    @Test func extensionThatNobodyOfferedIsRefused() async throws {
        try await UpstreamTestBed.withServer { connection in
            connection.acceptWebSocket(fields: "Sec-WebSocket-Extensions: permessage-deflate\r\n")
            connection.readToEnd()
        } _: { server, client in
            let error = try await UpstreamTestBed.failure(of: WebSocketRequest(url: server.webSocketURL), client)
            #expect(error.reason == .malformed)
        }
    }

    @Test func connectionThatEndsBeforeTheAnswerIsReset() async throws {
        try await UpstreamTestBed.withServer { connection in
            connection.readRequest()
        } _: { server, client in
            let error = try await UpstreamTestBed.failure(of: WebSocketRequest(url: server.webSocketURL), client)
            #expect(error.reason == .reset)
            #expect(error.bytesSent == 0)
        }
    }

    @Test func portWithoutAServerIsNoConnection() async throws {
        try await UpstreamTestBed.withServer { _ in
        } _: { server, client in
            let url = server.webSocketURL
            server.stop()
            // The listener is closed by its own thread.
            for _ in 0..<100 {
                let error = try await UpstreamTestBed.failure(of: WebSocketRequest(url: url), client)
                if error.reason == .connect { return }
            }
            Issue.record("the port still answers")
        }
    }

    @Test(arguments: ["http://127.0.0.1/", "ws://192.0.2.1/", "ws://127.0.0.1:x/", "wss://host/#a", "ws:/x", "w"])
    func urlThatMayNotBeUsedIsRefused(url: String) async throws {
        try await UpstreamTestBed.withServer { _ in
        } _: { _, client in
            let error = try await UpstreamTestBed.failure(of: WebSocketRequest(url: url), client)
            #expect(error.reason == .refused)
        }
    }

    @Test func cancellingGivesTheConnectionUp() async throws {
        let reached = TestSignal()
        let ended = TestSignal()
        try await UpstreamTestBed.withServer { connection in
            connection.readRequest()
            reached.give()
            connection.readToEnd()
            ended.give()
        } _: { server, client in
            let url = server.webSocketURL
            let task = Task(executorPreference: EventLoop.current?.executor) {
                try await UpstreamTestBed.failure(of: WebSocketRequest(url: url), client)
            }
            await reached.given()
            task.cancel()
            let error = try await task.value
            #expect(error.reason == .cancelled)
            await ended.given()
        }
    }

    @Test func moreThanTheLimitAreRefused() async throws {
        var configuration = UpstreamClient.Configuration()
        configuration.maximumWebSockets = 2
        try await UpstreamTestBed.withServer(configuration) { connection in
            connection.acceptWebSocket()
            connection.echoFrames()
        } _: { server, client in
            let request = WebSocketRequest(url: server.webSocketURL)
            let first = try await client.open(request)
            let second = try await client.open(request)
            let error = try await UpstreamTestBed.failure(of: request, client)
            #expect(error.reason == .refused)
            first.close(WebSocketClose(.normalClosure))
            #expect(await first.untilEnd() == .closed(WebSocketClose(.normalClosure)))
            #expect(await second.roundTrip("on"))
            // A place is free when the connection below is gone, which comes a little later.
            while true {
                do {
                    _ = try await client.open(request)
                    break
                } catch WebSocketOpenError.failed(let error) where error.reason == .refused {
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
        }
    }

    @Test func shutdownEndsWhatIsOpenAndRefusesWhatComes() async throws {
        try await UpstreamTestBed.withServer { connection in
            connection.acceptWebSocket()
            connection.echoFrames()
        } _: { server, client in
            let request = WebSocketRequest(url: server.webSocketURL)
            let channel = try await client.open(request)
            let task = Task(executorPreference: EventLoop.current?.executor) { await channel.receive() }
            await client.shutdown()
            #expect(await task.value == nil)
            #expect(channel.end == .lost(.aborted))
            let error = try await UpstreamTestBed.failure(of: request, client)
            #expect(error.reason == .refused)
        }
    }

    @Test func pooledConnectionsOfExchangesStayWhereThereAreManyWebSockets() async throws {
        let server = try ScriptedServer { connection in
            while connection.readRequest() != nil { connection.answer("\(connection.number)") }
        }
        defer { server.stop() }
        var configuration = UpstreamClient.Configuration()
        configuration.maximumConnections = 2
        try await UpstreamTestBed.withServer(configuration) { connection in
            connection.acceptWebSocket()
            connection.echoFrames()
        } _: { sockets, client in
            var channels: [any WebSocketChannel] = []
            for _ in 0..<80 { channels.append(try await client.open(WebSocketRequest(url: sockets.webSocketURL))) }
            for _ in 0..<4 { _ = try await client.execute(.get(server.url + "/")) }
            #expect(server.connectionCount == 1)
            for (number, channel) in channels.enumerated() { #expect(await channel.roundTrip("still here \(number)")) }
        }
    }
}
