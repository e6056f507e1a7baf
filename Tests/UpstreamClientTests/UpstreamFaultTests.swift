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
        ("X-Long: ", 70_000, 1), ("X-Beyond-One-Reading: ", 300_000, 1), ("X-Many: ", 1, 300),
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
}
