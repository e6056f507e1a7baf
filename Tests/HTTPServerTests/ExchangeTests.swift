import EventLoop
import HTTPServer
import HTTPWire
import Locking
import Testing

@Suite struct ExchangeTests {
    @Test func oneConnectionServesManyRequests() async throws {
        try await withServer { server in
            let client = try server.client()
            for number in 0..<5 {
                let answer = try await client.exchange("GET /echo?n=\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(answer.status == 200)
                #expect(answer.text == "GET /echo?n=\(number) 0")
                #expect(answer.fields["connection"] == nil)
                #expect(answer.fields["date"]?.hasSuffix(" GMT") == true)
            }
            #expect(server.server.statistics.acceptedConnections == 1)
            #expect(server.server.statistics.requests == 5)
        }
    }

    @Test(arguments: ["GET /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "GET /echo HTTP/1.0\r\n\r\n"])
    func aRequestThatIsTheLastClosesTheConnection(request: String) async throws {
        try await withServer { server in
            let client = try server.client()
            let answer = try await client.exchange(request)
            #expect(answer.status == 200)
            #expect(answer.fields["connection"] == "close")
            let (rest, end) = try await client.end()
            #expect(rest.isEmpty)
            #expect(end == .closed)
        }
    }

    @Test func aHeadMayComeByteByByte() async throws {
        try await withServer { server in
            let client = try server.client()
            for byte in "GET /echo HTTP/1.1\r\nHost: a\r\n\r\nGET /echo?2 HTTP/1.1\r\nHost: a\r\n\r\n".utf8 {
                try await client.send([byte])
            }
            #expect(try await client.answer().text == "GET /echo 0")
            #expect(try await client.answer().text == "GET /echo?2 0")
        }
    }

    @Test func pipelinedRequestsAreAnsweredInOrderAndOneAtATime() async throws {
        let running = Locked((now: 0, most: 0))
        let responder = Responder { request in
            running.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            // The first takes longest.
            for _ in 0..<(request.head.path == "/0" ? 500 : 1) {
                await Task.yield()
            }
            running.withLock { $0.now -= 1 }
            return .text(200, request.head.path)
        }
        try await withServer(responder) { server in
            let client = try server.client()
            try await client.send((0..<200).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            for number in 0..<200 {
                #expect(try await client.answer().text == "/\(number)")
            }
            #expect(running.withLock { $0.most } == 1)
        }
    }

    @Test func pipelinedRequestsThatAnswerAtOnceLeaveNoneBehind() async throws {
        // More than one turn takes, and more than the scratch buffer holds.
        try await withServer(Responder { .text(200, $0.head.path) }) { server in
            let client = try server.client()
            let sending = Task {
                let requests = (0..<5000).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\nX-Padding: 0123456789\r\n\r\n" }
                try await client.send(requests.joined())
            }
            for number in 0..<5000 {
                let answer = try await client.answer()
                try #require(answer.text == "/\(number)")
            }
            try await sending.value
        }
    }

    @Test func aPipelinedRequestBehindContentIsAnsweredToo() async throws {
        try await withServer { server in
            let client = try server.client()
            try await client.send(
                "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloGET /echo HTTP/1.1\r\nHost: a\r\n\r\n"
            )
            #expect(try await client.answer().text == "POST /echo 5")
            #expect(try await client.answer().text == "GET /echo 0")
        }
    }

    @Test func headIsAnsweredWithoutContent() async throws {
        try await withServer { server in
            let client = try server.client()
            let head = try await client.exchange("HEAD /echo HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(head.fields["content-length"] == "\("HEAD /echo 0".utf8.count)")
            let get = try await client.exchange("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(get.text == "GET /echo 0")
        }
    }

    @Test func aRejectedHeadRequestHasNoContentEither() async throws {
        try await withServer { server in
            for pieces in [["HEAD /echo HTTP/1.1\r\n\r\n"], ["HEAD ", "/echo HTTP/1.1\r\n", "\r\n"]] {
                let client = try server.client()
                for piece in pieces {
                    try await client.send(piece)
                }
                let (rest, _) = try await client.end()
                let text = String(decoding: rest, as: UTF8.self)
                #expect(text.hasPrefix("HTTP/1.1 400 "))
                #expect(text.hasSuffix("\r\n\r\n"))
            }
        }
    }

    @Test func aMalformedRequestIsAnsweredAndTheConnectionCloses() async throws {
        try await withServer { server in
            let client = try server.client()
            let answer = try await client.exchange(
                "GET /echo HTTP/1.1\r\nHost a\r\n\r\nGET /echo HTTP/1.1\r\nHost: a\r\n\r\n"
            )
            #expect(answer.status == 400)
            #expect(answer.fields["connection"] == "close")
            let (rest, end) = try await client.end()
            #expect(rest.isEmpty)
            #expect(end == .closed)
        }
    }

    @Test func aLargeAnswerReachesASlowReaderWhole() async throws {
        let body = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try await withServer(Responder { _ in HTTPResponse(status: HTTPStatus(200), body: body) }) { server in
            let client = try server.client(receiveBuffer: 4096)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
            for _ in 0..<2 {
                let answer = try await client.answer()
                #expect(answer.body == body)
            }
        }
    }

    @Test func connectionsAreSpreadOverTheLoopsAndStayThere() async throws {
        let responder = Responder { request in
            let before = EventLoop.current?.index
            await Task.yield()
            await withCheckedContinuation { continuation in
                Task.detached { continuation.resume() }
            }
            return .text(200, before == EventLoop.current?.index ? "\(before ?? -1)" : "moved")
        }
        try await withServer(responder, loops: 2) { server in
            var seen: [String: Int] = [:]
            for _ in 0..<6 {
                let client = try server.client()
                let first = try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").text
                let second = try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").text
                #expect(first == second)
                seen[first, default: 0] += 1
            }
            #expect(seen == ["0": 3, "1": 3])
        }
    }

    @Test func theResponderLearnsTheAddressOfTheClient() async throws {
        try await withServer(
            Responder { .text(200, $0.peerAddress) },
            listen: [.tcp(host: "127.0.0.1", port: 0), .tcp(host: "::1", port: 0)]
        ) { server in
            for (address, text) in zip(server.addresses, ["127.0.0.1", "::1"]) {
                let client = try TestClient(address)
                #expect(try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").text == text)
            }
        }
    }
}
