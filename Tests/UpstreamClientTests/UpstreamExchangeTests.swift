import EventLoop
import Glibc
import HTTPWire
import TestSupport
import Testing
import UpstreamClient

@Suite(.timeLimit(.minutes(1)))
struct UpstreamExchangeTests {
    /// A file of pseudo-random bytes, gone when the last reference goes.
    final class BodyFile: HTTPBodyFile {
        let descriptor: Int32
        let bytes: [UInt8]

        init(count: Int) throws {
            var template = Array("/tmp/speechgate-upstream-XXXXXX".utf8CString)
            let descriptor = mkstemp(&template)
            try #require(descriptor >= 0)
            unlink(template)
            self.descriptor = descriptor
            self.bytes = UpstreamExchangeTests.bytes(count, seed: 7)
            var written = 0
            while written < count {
                let count = self.bytes.withUnsafeBytes { bytes in
                    pwrite(
                        descriptor,
                        UnsafeRawBufferPointer(rebasing: bytes[written...]).baseAddress,
                        bytes.count - written,
                        off_t(written)
                    )
                }
                try #require(count > 0)
                written += count
            }
        }

        deinit {
            close(self.descriptor)
        }
    }

    /// Bytes that repeat after a prime number of places, so that no shift by a buffer's size goes unseen.
    static func bytes(_ count: Int, seed: UInt32) -> [UInt8] {
        var state = seed
        let period = (0..<65_521).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: state >> 24)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count { bytes.append(contentsOf: period.prefix(count - bytes.count)) }
        return bytes
    }

    @Test func answerArrivesWithStatusFieldsAndContent() async throws {
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.answer("{}", status: "503 Busy", fields: "Retry-After: 7\r\nX-A: 1\r\nX-A: 2\r\n")
        }
        defer { server.stop() }
        let response = try await UpstreamTestBed.run { client, _ in
            try await client.execute(.get(server.url + "/x?y=1"))
        }
        #expect(response.status == 503)
        #expect(response.fields[.retryAfter] == "7")
        #expect(response.fields.values(of: try #require(HTTPField.Name("x-a"))) == ["1", "2"])
        #expect(response.text == "{}")
        #expect(server.requests.map(\.line) == ["GET /x?y=1 HTTP/1.1"])
    }

    @Test func onlyFieldsOfTheCallerAndOfTheFramingAreSent() async throws {
        let server = try ScriptedServer { connection in
            while connection.readRequest() != nil { connection.answer("") }
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            var request = HTTPTransportRequest.post(server.url + "/", "abc")
            _ = try await client.execute(request)
            request.fields.append(.contentType, "multipart/form-data; boundary=x")
            request.fields.append(try #require(HTTPField.Name("X-Empty")), "")
            request.fields.append(try #require(HTTPField.Name("X-Colon")), "a: b:")
            // The transport's own business, and what would make answers come compressed.
            request.fields.append(HTTPField.Name(literal: "Host"), "elsewhere")
            request.fields.append(HTTPField.Name(literal: "Content-Length"), "9999")
            request.fields.append(HTTPField.Name(literal: "Transfer-Encoding"), "chunked")
            request.fields.append(HTTPField.Name(literal: "Expect"), "100-continue")
            request.fields.append(try #require(HTTPField.Name("Accept-Encoding")), "gzip")
            _ = try await client.execute(request)
            request.body = []
            request.method = .get
            request.fields = HTTPFields()
            _ = try await client.execute(request)
        }
        let host = "Host: 127.0.0.1:\(server.port)"
        let heads = server.requests.map { $0.head.split(separator: "\r\n").map(String.init) }
        #expect(heads.count == 3)
        #expect(heads.first == ["POST / HTTP/1.1", host, "Content-Length: 3"])
        let second = [
            "Content-Length: 3", "Content-Type: multipart/form-data; boundary=x", host, "POST / HTTP/1.1",
            "X-Colon: a: b:", "X-Empty:",
        ]
        #expect(heads[1].sorted() == second)
        #expect(heads.last == ["GET / HTTP/1.1", host])
    }

    @Test func connectionIsKeptForTheNextExchange() async throws {
        let server = try ScriptedServer { connection in
            while let request = connection.readRequest() { connection.answer(request.line) }
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            for index in 0..<20 {
                let response = try await client.execute(
                    index % 2 == 0 ? .get(server.url + "/\(index)") : .post(server.url + "/\(index)", "body \(index)")
                )
                let method = index % 2 == 0 ? "GET" : "POST"
                #expect(response.text == "\(method) /\(index) HTTP/1.1")
            }
        }
        #expect(server.connectionCount == 1)
        let sizes = server.requests.map(\.body.count)
        // "body 1" to "body 9", then "body 11" to "body 19".
        #expect(sizes.filter { $0 == 6 }.count == 5)
        #expect(sizes.filter { $0 == 7 }.count == 5)
    }

    @Test(arguments: [
        (HTTPMethod.get, "", "GET"), (.head, "", "HEAD"), (.post, "", "POST"), (.put, "", "PUT"),
        (.delete, "", "DELETE"), (.options, "", "OPTIONS"), (.patch, "", "PATCH"), (.other("PURGE"), "", "PURGE"),
        (.get, "x", "GET"), (.post, "x", "POST"), (.put, "x", "PUT"), (.delete, "x", "DELETE"), (.patch, "x", "PATCH"),
    ])
    func methodIsSentAsItIs(_ method: HTTPMethod, _ body: String, _ token: String) async throws {
        let server = try ScriptedServer { connection in
            guard let request = connection.readRequest() else { return }
            if request.line.hasPrefix("HEAD") {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
            } else {
                connection.answer("right")
            }
        }
        defer { server.stop() }
        let request = HTTPTransportRequest(
            method: method,
            url: server.url + "/",
            body: body.isEmpty ? [] : [.bytes(Array(body.utf8))]
        )
        let response = try await UpstreamTestBed.run { client, _ in try await client.execute(request) }
        #expect(response.text == (method == .head ? "" : "right"))
        let received = try #require(server.requests.first)
        #expect(received.line == "\(token) / HTTP/1.1")
        #expect(received.body == Array(body.utf8))
        if !body.isEmpty || ["POST", "PUT", "PATCH"].contains(token) {
            #expect(received.field("Content-Length") == "\(body.utf8.count)")
        } else {
            #expect(received.field("Content-Length") == nil)
        }
    }

    @Test(arguments: [0, 1, 100, 16_384, 65_535, 65_536, 65_537, 300_000, 5 << 20])
    func contentFromMemoryAndFileArrivesByteForByte(_ count: Int) async throws {
        let server = try ScriptedServer { connection in
            while connection.readRequest() != nil { connection.answer("ok") }
        }
        defer { server.stop() }
        let file = try BodyFile(count: count)
        let memory = Self.bytes(count, seed: 99)
        let head: [UInt8] = Array("--boundary\r\n".utf8)
        let third = count / 3
        let bodies: [[HTTPBodySegment]] = [
            [.bytes(memory)],
            [.file(file, 0..<count)],
            [
                .bytes(head), .file(file, third..<count), .bytes([]), .bytes(memory, 0..<third),
                .bytes(memory, third..<count), .file(file, 0..<third), .bytes(head, 2..<head.count),
            ],
        ]
        try await UpstreamTestBed.run { client, _ in
            for body in bodies {
                let response = try await client.execute(
                    HTTPTransportRequest(method: .post, url: server.url + "/", body: body)
                )
                #expect(response.text == "ok")
            }
        }
        let mixed = head + file.bytes[third...] + memory + file.bytes[..<third] + head[2...]
        // Comparing outside of the macro: it would describe five million bytes.
        let areEqual = server.requests.map(\.body) == [memory, file.bytes, Array(mixed)]
        #expect(areEqual)
    }

    @Test(arguments: [0, 1, 16_384, 24_000, 1 << 20])
    func contentOfAnswersArrivesByteForByte(_ count: Int) async throws {
        let bytes = Self.bytes(count, seed: 3)
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
            connection.send(bytes)
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            var start = 0
            while start < count {
                let end = min(count, start + 7000)
                connection.send("\(String(end - start, radix: 16));ext=1\r\n")
                connection.send(Array(bytes[start..<end]))
                connection.send("\r\n")
                start = end
            }
            connection.send("0\r\nX-Trailer: HTTP/1.1 500 No\r\n\r\n")
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            connection.send(bytes)
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            for framing in ["length", "chunked", "close"] {
                let response = try await client.execute(.get(server.url + "/"))
                let areEqual = response.body == bytes
                #expect(areEqual, "\(framing)")
                #expect(response.status == 200)
                #expect(response.fields.contains(try #require(HTTPField.Name("x-trailer"))) == false)
            }
        }
        #expect(server.connectionCount == 1)
    }

    @Test func interimAnswersAreSkipped() async throws {
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            connection.answer("final", status: "201 Created", fields: "X-A: b\r\n")
        }
        defer { server.stop() }
        let response = try await UpstreamTestBed.run { client, _ in
            try await client.execute(.post(server.url + "/", "x"))
        }
        #expect(response.status == 201)
        #expect(response.text == "final")
        #expect(response.fields.count == 2)
    }

    @Test func redirectsAreAnswersLikeOthers() async throws {
        let server = try ScriptedServer { connection in
            while connection.readRequest() != nil {
                connection.answer("", status: "307 Temporary Redirect", fields: "Location: /elsewhere\r\n")
            }
        }
        defer { server.stop() }
        let response = try await UpstreamTestBed.run { client, _ in
            try await client.execute(.post(server.url + "/", "x"))
        }
        #expect(response.status == 307)
        #expect(server.requests.count == 1)
    }

    @Test func cookiesOfOneExchangeAreNotSentInTheNext() async throws {
        let server = try ScriptedServer { connection in
            while connection.readRequest() != nil { connection.answer("", fields: "Set-Cookie: a=b\r\n") }
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            _ = try await client.execute(.get(server.url + "/"))
            _ = try await client.execute(.get(server.url + "/"))
        }
        #expect(server.requests.map { $0.field("Cookie") } == [nil, nil])
    }

    @Test func exchangeStaysOnTheLoopOfItsCaller() async throws {
        let server = try ScriptedServer { connection in
            while connection.readRequest() != nil { connection.answer("x") }
        }
        defer { server.stop() }
        try await UpstreamTestBed.run(loops: 2) { client, loops in
            let url = server.url
            for _ in 0..<3 {
                let stayed = try await UpstreamTestBed.onLoop(loops[1]) {
                    _ = try await client.execute(.get(url + "/"))
                    return loops[1].isCurrent
                }
                #expect(stayed)
            }
            // Three exchanges on one loop share its connection; the other loop has one of its own.
            #expect(server.connectionCount == 1)
            _ = try await UpstreamTestBed.onLoop(loops[0]) { try await client.execute(.get(url + "/")) }
            #expect(server.connectionCount == 2)
        }
    }

    @Test(arguments: [
        "http://192.0.2.1/", "http://example.com/", "http://127.0.0.1.example.com/", "http://127.0.0.1@example.com/",
        "https://user:password@example.com/", "ftp://127.0.0.1/", "127.0.0.1", "", "file:///etc/passwd",
        "http://127.0.0.1/a b", "http://127.0.0.1\\@example.com/", "http://127.0.0.1#@example.com/", "http://[::2]/",
        "http://127.0.0.1:x/", "http://127.0.0.1:99999/", "http://[::1/", "http:///",
    ])
    func urlThatIsUnsafeIsRefusedBeforeAnythingIsSent(_ url: String) async throws {
        try await UpstreamTestBed.run { client, _ in
            let error = try await UpstreamTestBed.failure(of: .post(url, "x"), client)
            #expect(error.reason == .refused)
            #expect(error.bytesSent == 0)
        }
    }

    @Test func forgedFieldLinesAreRefused() async throws {
        let storage = Array("X-A: b\r\nX-Forged: c".utf8)
        let fields = HTTPFields(storage: storage, entries: [HTTPFields.Entry(name: 0..<3, value: 5..<storage.count)])
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.answer("")
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            var request = HTTPTransportRequest.get(server.url + "/")
            request.fields = fields
            let error = try await UpstreamTestBed.failure(of: request, client)
            #expect(error.reason == .refused)
        }
        #expect(server.connectionCount == 0)
    }
}
