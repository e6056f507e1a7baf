import HTTPServer
import HTTPWire
import Locking
import TestSupport
import Testing

@Suite struct ContentTests {
    private static let large = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) }

    @Test func aLargeUploadArrivesWholeAndInOrder() async throws {
        let large = Self.large
        let responder = Responder { request in
            await Responder.reading(request, limit: large.count) { .text(200, $0 == large ? "equal" : "different") }
        }
        try await withServer(responder) { server in
            let client = try server.client()
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(large.count)\r\n\r\n")
            try await client.send(large)
            #expect(try await client.answer().text == "equal")
            #expect(try await client.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").text == "different")
        }
    }

    @Test(arguments: [1, 7, 1000])
    func aChunkedUploadArrivesWholeHoweverItIsCut(size: Int) async throws {
        let content = Array(Self.large[..<20_000])
        let responder = Responder { request in
            await Responder.reading(request, limit: content.count) { .text(200, $0 == content ? "equal" : "different") }
        }
        var message = Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        for start in stride(from: 0, to: content.count, by: 777) {
            let chunk = content[start..<min(start + 777, content.count)]
            message += Array("\(String(chunk.count, radix: 16));x=y\r\n".utf8) + chunk + Array("\r\n".utf8)
        }
        message += Array("0\r\nX-Trailer: 1\r\n\r\n".utf8)
        let bytes = message
        try await withServer(responder) { server in
            let client = try server.client()
            // The first part in small pieces, so that heads of chunks are cut as well.
            for start in stride(from: 0, to: size * 100, by: size) {
                let end = min(start + size, bytes.count)
                guard start < end else { break }
                try await client.send(Array(bytes[start..<end]))
            }
            try await client.send(Array(bytes.dropFirst(size * 100)))
            #expect(try await client.answer().text == "equal")
        }
    }

    @Test func contentThatComesWhileTheResponderDoesSomethingElseIsReadLater() async throws {
        let gate = Signal()
        let responder = Responder { request in
            await gate.wait()
            return await Responder.reading(request, limit: 1000) { .text(200, String(decoding: $0, as: UTF8.self)) }
        }
        try await withServer(responder) { server in
            let client = try server.client()
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello")
            await until { server.server.statistics.requests == 1 }
            try await client.send("world")
            gate.set()
            #expect(try await client.answer().text == "helloworld")
        }
    }

    @Test func contentCanBeReadFromAnActor() async throws {
        actor Reader {
            func read(_ request: HTTPRequest) async -> HTTPResponse {
                await Responder.reading(request, limit: 1000) { .text(200, String(decoding: $0, as: UTF8.self)) }
            }
        }
        let reader = Reader()
        try await withServer(Responder { await reader.read($0) }) { server in
            let client = try server.client()
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
            try await client.send("llo")
            #expect(try await client.answer().text == "hello")
        }
    }

    // MARK: - Expect

    @Test func theFirstReadAsksForTheContent() async throws {
        let gate = Signal()
        let responder = Responder { request in
            await gate.wait()
            return await Responder.reading(request, limit: 5) { .text(200, String(decoding: $0, as: UTF8.self)) }
        }
        try await withServer(responder) { server in
            let client = try server.client()
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
            await until { server.server.statistics.requests == 1 }
            gate.set()
            #expect(try await client.answer().status == 100)
            try await client.send("hello")
            let answer = try await client.answer()
            #expect(answer.status == 200)
            #expect(answer.text == "hello")
        }
    }

    @Test func contentThatIsDeclaredTooLargeIsNotAskedFor() async throws {
        try await withServer(Responder { await Responder.reading($0, limit: 4) { _ in .text(200, "") } }) { server in
            let client = try server.client()
            let answer = try await client.exchange(
                "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
            )
            #expect(answer.status == 413)
            #expect(answer.fields["connection"] == "close")
            #expect(try await client.end().end == .closed)
        }
    }

    // MARK: - Limits and faults

    @Test func theAnswerIsSeenByAClientThatStillSends() async throws {
        // 20 MB are far more than the sockets hold: the client writes on when the answer is out.
        let responder = Responder { await Responder.reading($0, limit: 1000) { _ in .text(200, "") } }
        try await withServer(responder, configuration: .lingeringLong) { server in
            let client = try server.client()
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20000000\r\n\r\n")
            try await client.send([UInt8](repeating: 0x61, count: 20_000_000))
            #expect(try await client.answer().status == 413)
            #expect(try await client.end().end == .closed)
        }
    }

    @Test(arguments: ["b\r\nhello world\r\n0\r\n\r\n", "ffffff\r\nhello", "a\r\nhello worl\r\n1\r\nd\r\n0\r\n\r\n"])
    func chunksBeyondTheLimitAreRefused(content: String) async throws {
        try await withServer(Responder { await Responder.reading($0, limit: 10) { _ in .text(200, "") } }) { server in
            let client = try server.client()
            let answer = try await client.exchange(
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + content
            )
            #expect(answer.status == 413)
            #expect(answer.fields["connection"] == "close")
        }
    }

    @Test func brokenChunksAreToldFromOtherFailures() async throws {
        let failure = Locked<HTTPRequestBodyError?>(nil)
        let responder = Responder { request in
            do {
                try await request.body.read(into: Collector(), limit: 1000)
            } catch {
                failure.withLock { $0 = error as? HTTPRequestBodyError }
            }
            return .text(400, "")
        }
        try await withServer(responder) { server in
            let client = try server.client()
            let answer = try await client.exchange(
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n"
            )
            #expect(answer.status == 400)
            guard case .malformed? = failure.withLock({ $0 }) else {
                Issue.record("not malformed: \(String(describing: failure.withLock { $0 }))")
                return
            }
        }
    }

    @Test func whatTheConsumerThrowsEndsTheReading() async throws {
        struct Enough: Error {}
        final class Refusing: HTTPBodyConsumer {
            func consume(_ bytes: UnsafeRawBufferPointer) throws { throw Enough() }
        }
        let responder = Responder { request in
            do {
                try await request.body.read(into: Refusing(), limit: 1000)
                return .text(200, "")
            } catch is Enough {
                return .text(422, "enough")
            } catch {
                return .text(500, "\(error)")
            }
        }
        try await withServer(responder) { server in
            let client = try server.client()
            let answer = try await client.exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhello")
            #expect(answer.text == "enough")
            #expect(answer.fields["connection"] == "close")
            #expect(try await client.end().end == .closed)
        }
    }

    @Test func contentThatNobodyReadEndsTheConnectionButNotTheAnswer() async throws {
        try await withServer(Responder { _ in .text(401, "who?") }, configuration: .lingeringLong) { server in
            let client = try server.client()
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n")
            try await client.send([UInt8](repeating: 0x61, count: 3_000_000))
            let answer = try await client.answer()
            #expect(answer.text == "who?")
            #expect(answer.fields["connection"] == "close")
            let (rest, end) = try await client.end()
            #expect(rest.isEmpty)
            #expect(end == .closed)
        }
    }

    @Test func unreadContentThatCameWithItsHeadDoesNotEndTheConnection() async throws {
        try await withServer { server in
            let client = try server.client()
            let content = "GET /echo HTTP/1.1\r\nHost: inner\r\n\r\n"
            try await client.send(
                "POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)"
            )
            #expect(try await client.answer().status == 404)
            #expect(try await client.exchange("GET /echo?mine HTTP/1.1\r\nHost: a\r\n\r\n").text == "GET /echo?mine 0")
        }
    }

    @Test func readingEndsWhenItsTaskIsCancelled() async throws {
        let responder = Responder { request in
            await withTaskGroup(of: String.self) { group in
                group.addTask {
                    do {
                        try await request.body.read(into: Collector(), limit: 1000)
                        return "read"
                    } catch {
                        return "\(type(of: error))"
                    }
                }
                group.addTask {
                    await Task.yield()
                    return "first"
                }
                _ = await group.next()
                group.cancelAll()
                return .text(200, await group.next() ?? "")
            }
        }
        try await withServer(responder) { server in
            let client = try server.client()
            let answer = try await client.exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhello")
            #expect(answer.text == "CancellationError")
        }
    }
}
