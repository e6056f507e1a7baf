import HTTPServer
import HTTPWire
import Locking
import TestSupport
import Testing

/// Answers whose content comes piece by piece.
@Suite struct StreamTests {
    /// Gives pieces until it is told to fail or to wait.
    private final class Source: HTTPContentSource {
        enum Last { case end, failure, silence }

        private let pieces: Locked<ArraySlice<[UInt8]>>
        private let last: Last
        let asked = Locked(0)
        let isCancelled = Signal()

        init(_ pieces: [[UInt8]], last: Last = .end) {
            self.pieces = Locked(pieces[...])
            self.last = last
        }

        struct Failure: Error {}

        func next() async throws -> [UInt8]? {
            self.asked.withLock { $0 += 1 }
            if let piece = self.pieces.withLock({ $0.popFirst() }) { return piece }
            switch self.last {
            case .end: return nil
            case .failure: throw Failure()
            case .silence:
                await withTaskCancellationHandler {
                    await self.isCancelled.wait()
                } onCancel: {
                    self.isCancelled.set()
                }
                throw CancellationError()
            }
        }
    }

    private static func responder(_ source: Source, length: Int?) -> Responder {
        Responder { request in
            guard request.head.path == "/stream" else { return .text(200, "other") }
            var response = HTTPResponse(status: HTTPStatus(200))
            response.stream = HTTPContentStream(length: length, source: source)
            return response
        }
    }

    private static func pieces(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }
    private static let request = "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func aStreamOfKnownLengthLeavesTheConnectionOpen() async throws {
        let source = Source(Self.pieces("ab", "cde", "f"))
        try await withServer(Self.responder(source, length: 6)) { server in
            let client = try server.client()
            let answer = try await client.exchange(Self.request)
            #expect(answer.text == "abcdef" && answer.fields["content-length"] == "6")
            #expect(try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").text == "other")
        }
    }

    @Test func aPipelinedRequestWaitsForTheStream() async throws {
        let source = Source(Self.pieces("ab", "cd"))
        try await withServer(Self.responder(source, length: 4)) { server in
            let client = try server.client()
            try await client.send(Self.request + "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.answer().text == "abcd")
            #expect(try await client.answer().text == "other")
        }
    }

    @Test func aStreamOfUnknownLengthIsChunked() async throws {
        let source = Source([Array("ab".utf8), [UInt8](repeating: 0x78, count: 17)])
        try await withServer(Self.responder(source, length: nil)) { server in
            let client = try server.client()
            try await client.send("GET /stream HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let text = String(decoding: try await client.end().rest, as: UTF8.self)
            #expect(text.contains("Transfer-Encoding: chunked\r\n") && !text.contains("Content-Length"))
            #expect(text.hasSuffix("\r\n\r\n2\r\nab\r\n11\r\nxxxxxxxxxxxxxxxxx\r\n0\r\n\r\n"), "\(text)")
        }
    }

    @Test func toHTTP10ItEndsWithTheConnection() async throws {
        let source = Source(Self.pieces("ab", "cd"))
        try await withServer(Self.responder(source, length: nil)) { server in
            let client = try server.client()
            try await client.send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            let (rest, end) = try await client.end()
            let text = String(decoding: rest, as: UTF8.self)
            #expect(text.hasSuffix("\r\n\r\nabcd") && text.contains("Connection: close") && end == .closed)
        }
    }

    @Test(arguments: [(10, "failure"), (10, "too little"), (3, "too much")])
    func whatWasPromisedAndDoesNotComeBreaksTheConnection(length: Int, what: String) async throws {
        let source = Source(Self.pieces("ab", "cd"), last: what == "failure" ? .failure : .end)
        try await withServer(Self.responder(source, length: length)) { server in
            let client = try server.client()
            try await client.send(Self.request)
            let text = String(decoding: try await client.end().rest, as: UTF8.self)
            #expect(text.contains("Content-Length: \(length)") && !text.contains("other"))
            #expect((text.split(separator: "\r\n\r\n").last ?? "").utf8.count < length, "\(what)")
        }
    }

    @Test func aFailureBehindChunksIsNoEnd() async throws {
        let source = Source(Self.pieces("ab"), last: .failure)
        try await withServer(Self.responder(source, length: nil)) { server in
            let client = try server.client()
            try await client.send(Self.request)
            let text = String(decoding: try await client.end().rest, as: UTF8.self)
            #expect(text.hasSuffix("2\r\nab\r\n"), "\(text)")
        }
    }

    @Test func aHeadAsksForNothing() async throws {
        let source = Source(Self.pieces("ab"))
        try await withServer(Self.responder(source, length: 2)) { server in
            let client = try server.client()
            let answer = try await client.exchange("HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(answer.fields["content-length"] == "2" && source.asked.withLock { $0 } == 0)
            #expect(try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").text == "other")
        }
    }

    @Test func aClientThatReadsNothingIsWaitedFor() async throws {
        let piece = [UInt8](repeating: 0x61, count: 256 << 10)
        let source = Source([[UInt8]](repeating: piece, count: 200))
        try await withServer(Self.responder(source, length: 200 * piece.count)) { server in
            let client = try server.client(receiveBuffer: 8 << 10)
            try await client.send(Self.request)
            // Time in which all pieces would be asked for.
            try await Task.sleep(for: .milliseconds(300))
            #expect(source.asked.withLock { $0 } < 100)
            #expect(try await client.answer().body.count == 200 * piece.count)
        }
    }

    @Test func aClientThatLeavesEndsTheStream() async throws {
        let source = Source(Self.pieces("ab"), last: .silence)
        try await withServer(Self.responder(source, length: 10)) { server in
            let client = try server.client()
            try await client.send(Self.request)
            await until { source.asked.withLock { $0 } == 2 }
            client.reset()
            await source.isCancelled.wait()
        }
    }

    @Test func aSourceThatStopsIsGivenUp() async throws {
        let source = Source(Self.pieces("ab"), last: .silence)
        let configuration = HTTPServer.Configuration.with { $0.writeTimeout = .milliseconds(100) }
        try await withServer(Self.responder(source, length: 10), configuration: configuration) { server in
            let client = try server.client()
            try await client.send(Self.request)
            #expect(String(decoding: try await client.end().rest, as: UTF8.self).hasSuffix("ab"))
            await source.isCancelled.wait()
        }
    }
}
