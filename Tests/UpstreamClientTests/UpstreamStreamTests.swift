private import CCurl
import EventLoop
import HTTPWire
import Locking
import TestSupport
import Testing
import UpstreamClient

/// Content that is handed on as it comes, and held back while nobody takes it.
@Suite struct UpstreamStreamTests {
    private static let megabyte = [UInt8](repeating: 0x61, count: 1 << 20)

    private static func rest(of stream: HTTPTransportStream) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try await stream.content.source.next() {
            #expect(!piece.isEmpty)
            bytes += piece
        }
        return bytes
    }

    @Test(arguments: [0, 1, 1_000, 300_000, 5_000_000])
    func everyByteComesInOrder(count: Int) async throws {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.send(
                "HTTP/1.1 206 Partial Content\r\nContent-Length: \(count)\r\nContent-Type: audio/mpeg\r\n\r\n"
            )
            connection.send(content)
            _ = connection.readRequest()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, loops in
            for isOnLoop in [true, false] {
                let work: @Sendable () async throws -> Void = {
                    let stream = try await client.open(.get(server.url))
                    #expect(stream.status == 206 && stream.fields[.contentType] == "audio/mpeg")
                    #expect(stream.content.length == count)
                    #expect(try await Self.rest(of: stream) == content)
                }
                if isOnLoop { try await UpstreamTestBed.onLoop(loops[0], work) } else { try await work() }
            }
        }
    }

    @Test func chunksAreUndoneAndTheirLengthIsUnknown() async throws {
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
            connection.send("2\r\nde\r\n0\r\n\r\n")
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            let stream = try await client.open(.get(server.url))
            #expect(stream.content.length == nil)
            #expect(try await Self.rest(of: stream) == Array("abcde".utf8))
        }
    }

    @Test func aReaderThatWaitsHoldsTheServerBack() async throws {
        let sent = Locked(0)
        let isDone = TestSignal()
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(64 << 20)\r\n\r\n")
            for _ in 0..<64 {
                connection.send(Self.megabyte)
                sent.withLock { $0 += 1 }
            }
            isDone.give()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            var request = HTTPTransportRequest.get(server.url)
            request.maximumResponseBody = 64 << 20
            let stream = try await client.open(request)
            _ = try await stream.content.source.next()
            // Time in which all of it would come; what comes is what sockets hold.
            try await Task.sleep(for: .milliseconds(500))
            #expect(sent.withLock { $0 } < 32)
            #expect(try await Self.rest(of: stream).count > 60 << 20)
            await isDone.given()
        }
    }

    @Test func whatBreaksOffIsNoEnd() async throws {
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            let stream = try await client.open(.get(server.url))
            let error = await #expect(throws: HTTPTransportError.self) { try await Self.rest(of: stream) }
            #expect(error?.reason == .malformed)
        }
    }

    @Test func limitsOfSizeAndTimeHold() async throws {
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n")
            // Says nothing more, until the client ends it.
            connection.readToEnd()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            var small = HTTPTransportRequest.get(server.url)
            small.maximumResponseBody = 3
            let short = HTTPTransportRequest.get(server.url, timeout: .milliseconds(200))
            for (request, reason) in [(small, HTTPTransportError.Reason.tooLarge), (short, .timeout)] {
                let error = await #expect(throws: HTTPTransportError.self) {
                    try await Self.rest(of: client.open(request))
                }
                #expect(error?.reason == reason)
            }
        }
    }

    @Test func whoLetsGoEndsTheExchange() async throws {
        let hasEnded = TestSignal()
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc")
            connection.readToEnd()
            hasEnded.give()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            var stream: HTTPTransportStream? = try await client.open(.get(server.url))
            #expect(stream?.status == 200)
            stream = nil
            await hasEnded.given()
        }
    }

    @Test func aCancelledReaderIsWoken() async throws {
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            connection.readToEnd()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            let stream = try await client.open(.get(server.url))
            let task = Task { try await stream.content.source.next() }
            task.cancel()
            let error = await #expect(throws: HTTPTransportError.self) { try await task.value }
            #expect(error?.reason == .cancelled)
        }
    }

    @Test(arguments: [
        "127.0.0.1", "localhost", "10.1.2.3", "169.254.169.254", "192.168.0.1", "172.31.255.255", "0.0.0.0", "[::1]",
        "[fd00::1]", "[fe80::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "2130706433", "0x7f.1",
    ])
    func whatIsForThePublicInternetGoesNowhereElse(host: String) async throws {
        let server = try ScriptedServer { $0.readToEnd() }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            var request = HTTPTransportRequest.get("https://\(host):\(server.port)/")
            request.isForPublicAddressesOnly = true
            let error = try await UpstreamTestBed.failure(of: request, client)
            #expect(error.reason == .refused && error.bytesSent == 0, "\(error)")
        }
        #expect(server.connectionCount == 0)
    }

    @Test(
        arguments: [
            (0x0102_0304, true), (0x0808_0808, true), (0x09FF_FFFF, true), (0x0A00_0000, false), (0x0AFF_FFFF, false),
            (0x0B00_0000, true), (0x643F_FFFF, true), (0x6440_0000, false), (0x647F_FFFF, false), (0x6480_0000, true),
            (0x7F00_0001, false), (0xA9FE_A9FE, false), (0xAC0F_FFFF, true), (0xAC10_0000, false), (0xAC1F_FFFF, false),
            (0xAC20_0000, true), (0xC0A8_0101, false), (0xC0A9_0000, true), (0xC613_FFFF, false), (0xC614_0000, true),
            (0xCB00_7101, false), (0xDFFF_FFFF, true), (0xE000_0001, false), (0xFFFF_FFFF, false), (0, false),
        ] as [(UInt32, Bool)]
    )
    func thePublicInternetOfIPv4(address: UInt32, isPublic: Bool) {
        #expect(ccurl_is_public_ipv4(address) == isPublic)
    }
}
