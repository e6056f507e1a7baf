import EventLoop
import Glibc
import HTTPWire
import Locking
import TestSupport
import Testing
import UpstreamClient

/// What a platform or its network can do wrong, seen from both ends.
@Suite(.timeLimit(.minutes(1)))
struct UpstreamFaultTests {
    // MARK: - Sent once, or provably not at all

    @Test(arguments: [10, 60_000, 1_000_000])
    func contentReachesAPlatformThatClosesWithoutAnAnswerExactlyOnce(_ count: Int) async throws {
        let server = try ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.answer("first")
            // Reads the second request whole, "bills" it and says nothing.
            connection.readRequest()
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

    @Test(arguments: [10, 60_000, 1_000_000])
    func contentReachesAPlatformThatResetsWithoutAnAnswerExactlyOnce(_ count: Int) async throws {
        let server = try ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.answer("first")
            connection.readRequest()
            connection.reset()
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
        #expect(server.requests.filter { $0.line.hasPrefix("POST") }.count == 1)
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
        let server = try ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.answer("\(connection.number)")
            guard connection.number == 1 else { return }
            guard received.wait() else { return }
            connection.answer("stale")
            sent.give()
            connection.readToEnd()
        }
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
            // More than once: what a failure leaves behind in libcurl must not reach the next exchange.
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

    // MARK: - Answers that are none

    @Test(
        arguments: [
            ("half a body", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", .malformed),
            ("half a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nhalf", .malformed),
            ("no last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", .malformed),
            (
                "bad chunk size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nhalf\r\n0\r\n\r\n",
                .malformed
            ),
            ("half a head", "HTTP/1.1 200 OK\r\nContent-Le", .malformed),
            ("head without end", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", .malformed),
            ("garbage", "\u{1}\u{2}garbage", .malformed),
            ("HTTP/0.9", "<html>hello</html>", .malformed),
            ("HTTP/2", "HTTP/2 200\r\nContent-Length: 0\r\n\r\n", .malformed),
            ("HTTP/1.2", "HTTP/1.2 200 OK\r\nContent-Length: 0\r\n\r\n", .malformed),
            ("code of two digits", "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n", .malformed),
            ("code of four digits", "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n", .malformed),
            ("code 099", "HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n", .malformed),
            ("code 600", "HTTP/1.1 600 OK\r\nContent-Length: 0\r\n\r\n", .malformed),
            ("switch of protocols", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", .malformed),
            ("line without colon", "HTTP/1.1 200 OK\r\nnonsense\r\nContent-Length: 0\r\n\r\n", .malformed),
            ("space before colon", "HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n", .malformed),
            ("folded line", "HTTP/1.1 200 OK\r\nX-A: b\r\n c\r\nContent-Length: 0\r\n\r\n", .malformed),
            ("control character", "HTTP/1.1 200 OK\r\nX-A: \u{1}\r\nContent-Length: 0\r\n\r\n", .malformed),
            ("length that is none", "HTTP/1.1 200 OK\r\nContent-Length: ten\r\n\r\n0123456789", .malformed),
            ("negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", .malformed),
            ("two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", .malformed),
            ("huge length", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nab", .malformed),
            (
                "length and chunks",
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
                .malformed
            ),
            ("foreign coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", .malformed),
            ("nothing", "", .reset),
        ] as [(String, String, HTTPTransportError.Reason)]
    )
    func answerThatIsNotCompleteAndValidIsAnError(
        _ name: String,
        _ answer: String,
        _ reason: HTTPTransportError.Reason
    ) async throws {
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.send(answer)
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            let error = try await UpstreamTestBed.failure(of: .post(server.url + "/", "content"), client)
            #expect(error.reason == reason, "\(name): \(error.detail)")
            #expect(error.bytesSent == 7)
        }
        #expect(server.requests.count == 1)
    }

    @Test func closeDelimitedAnswerThatIsResetIsAnError() async throws {
        let received = TestSignal()
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\n\r\nhalf an ans")
            _ = received.wait()
            connection.reset()
        }
        defer { server.stop() }
        received.give()
        try await UpstreamTestBed.run { client, _ in
            let error = try await UpstreamTestBed.failure(of: .post(server.url + "/", "content"), client)
            #expect(error.reason == .reset)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n",
        "HTTP/1.1 200 OK\r\n\r\n",
    ])
    func answerAboveTheLimitIsAnErrorAndOneAtTheLimitIsNot(_ head: String) async throws {
        let content = [UInt8](repeating: 0x61, count: 1001)
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.send(head)
            connection.send(content)
            if head.contains("chunked") { connection.send("\r\n0\r\n\r\n") }
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            var request = HTTPTransportRequest.post(server.url + "/", "content")
            request.maximumResponseBody = 1000
            let error = try await UpstreamTestBed.failure(of: request, client)
            #expect(error.reason == .tooLarge)
            #expect(error.bytesSent == 7)
            request.maximumResponseBody = 1001
            let response = try await client.execute(request)
            #expect(response.body == content)
        }
    }

    @Test(arguments: [
        ("X-Long: ", 70_000, 1), ("X-Beyond-The-Limit-Of-Libcurl: ", 300_000, 1), ("X-Many: ", 1, 300),
        ("X-A: ", 1000, 100),
    ])
    func headAboveItsLimitIsAnError(_ name: String, _ length: Int, _ count: Int) async throws {
        let fields = String(repeating: name + String(repeating: "a", count: length) + "\r\n", count: count)
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\n" + fields + "\r\n")
            connection.readToEnd()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            let error = try await UpstreamTestBed.failure(of: .get(server.url + "/"), client)
            #expect(error.reason == .tooLarge, "\(error.detail)")
        }
    }

    @Test func endlessInterimAnswersAreAnError() async throws {
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.send(String(repeating: "HTTP/1.1 102 Processing\r\n\r\n", count: 10_000))
            connection.readToEnd()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            let error = try await UpstreamTestBed.failure(of: .get(server.url + "/"), client)
            #expect(error.reason == .tooLarge)
        }
    }

    // MARK: - Answers that come early, and proxies

    @Test func answerThatComesBeforeAllContentWasTakenIsTheAnswer() async throws {
        let server = try ScriptedServer { connection in
            guard connection.readHead() != nil else { return }
            connection.answer("too large", status: "413 Content Too Large", fields: "Connection: close\r\n")
            connection.readToEnd()
        }
        defer { server.stop() }
        let response = try await UpstreamTestBed.run { client, _ in
            let body = [UInt8](repeating: 1, count: 20 << 20)
            return try await client.execute(
                HTTPTransportRequest(method: .post, url: server.url + "/", body: [.bytes(body)])
            )
        }
        #expect(response.status == 413)
        #expect(response.text == "too large")
    }

    @Test func proxyIsAskedForATunnelAndItsRefusalSentNothing() async throws {
        let heads = Locked<[String]>([])
        let server = try ScriptedServer { connection in
            guard let head = connection.readHead() else { return }
            heads.withLock { $0.append(head) }
            connection.answer("no", status: "403 Forbidden")
        }
        defer { server.stop() }
        var configuration = UpstreamClient.Configuration()
        configuration.proxy = server.url
        try await UpstreamTestBed.run(configuration) { client, _ in
            var request = HTTPTransportRequest.post("https://platform.invalid/paid", "content")
            request.fields.append(.authorization, "secret")
            let error = try await UpstreamTestBed.failure(of: request, client)
            #expect(error.reason == .connect)
            #expect(error.bytesSent == 0)
        }
        let head = try #require(heads.withLock { $0.first })
        #expect(head.hasPrefix("CONNECT platform.invalid:443 HTTP/1.1\r\n"))
        #expect(!head.contains("secret"))
    }

    @Test func proxyIsNotAskedForPlatformsOnThisMachine() async throws {
        let server = try ScriptedServer { connection in
            while connection.readRequest() != nil { connection.answer("direct") }
        }
        defer { server.stop() }
        var configuration = UpstreamClient.Configuration()
        configuration.proxy = "http://127.0.0.1:1"
        try await UpstreamTestBed.run(configuration) { client, _ in
            for host in ["127.0.0.1", "localhost"] {
                let response = try await client.execute(.get("http://\(host):\(server.port)/"))
                #expect(response.text == "direct")
            }
        }
    }

    // MARK: - Time and cancellation

    @Test func silenceEndsWithATimeoutThatTellsWhatWasSent() async throws {
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.readToEnd()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            let error = try await UpstreamTestBed.failure(
                of: .post(server.url + "/", "content", timeout: .milliseconds(150)),
                client
            )
            #expect(error.reason == .timeout)
            #expect(error.bytesSent == 7)
            let late = try await UpstreamTestBed.failure(of: .get(server.url + "/", timeout: .zero), client)
            #expect(late.reason == .timeout)
            #expect(late.bytesSent == 0)
        }
        #expect(server.requests.count == 1)
    }

    @Test func answerThatTricklesBeyondItsTimeIsATimeout() async throws {
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            connection.readToEnd()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            let error = try await UpstreamTestBed.failure(
                of: .post(server.url + "/", "content", timeout: .milliseconds(150)),
                client
            )
            #expect(error.reason == .timeout)
        }
    }

    @Test func connectionThatDoesNotComeAboutInItsTimeSentNothing() async throws {
        // A listener whose queue is full drops what else comes.
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var fillers: [Int32] = []
        defer { for filler in fillers { close(filler) } }
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length)
                listen(listener, 0)
                getsockname(listener, address, &length)
                for _ in 0..<3 {
                    let filler = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
                    _ = connect(filler, address, length)
                    fillers.append(filler)
                }
            }
        }
        var configuration = UpstreamClient.Configuration()
        configuration.connectTimeout = .milliseconds(200)
        let url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/"
        try await UpstreamTestBed.run(configuration) { client, _ in
            let error = try await UpstreamTestBed.failure(of: .post(url, "content"), client)
            #expect(error.reason == .connect, "\(error.detail)")
            #expect(error.bytesSent == 0)
        }
    }

    @Test(arguments: [true, false])
    func cancellationClosesTheConnection(_ isOnLoop: Bool) async throws {
        let (asked, ended) = (TestSignal(), TestSignal())
        let server = try ScriptedServer { connection in
            connection.readRequest()
            asked.give()
            connection.readToEnd()
            ended.give()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, loops in
            let url = server.url
            // Without a preference a task runs on the global pool.
            let task = Task(executorPreference: isOnLoop ? loops[0].executor : nil) {
                await Self.error(of: .post(url + "/", "content"), client)
            }
            await asked.given()
            task.cancel()
            let error = await task.value
            #expect(error?.reason == .cancelled)
            #expect(error?.bytesSent == 7)
            await ended.given()
        }
    }

    private static func error(
        of request: HTTPTransportRequest,
        _ client: UpstreamClient
    ) async -> HTTPTransportError? {
        do throws(HTTPTransportError) {
            _ = try await client.execute(request)
            return nil
        } catch {
            return error
        }
    }

    @Test func cancelledTaskSendsNothing() async throws {
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.answer("")
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            let url = server.url
            let begin = TestSignal()
            let task = Task { () -> HTTPTransportError? in
                await begin.given()
                return await Self.error(of: .post(url + "/", "content"), client)
            }
            task.cancel()
            begin.give()
            let error = await task.value
            #expect(error?.reason == .cancelled)
            #expect(error?.bytesSent == 0)
        }
        #expect(server.requests.isEmpty)
    }
}
