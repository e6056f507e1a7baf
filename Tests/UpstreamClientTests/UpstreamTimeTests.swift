import EventLoop
import Glibc
import HTTPWire
import Locking
import TestSupport
import Testing
import UpstreamClient

/// What a platform or its network can do wrong, seen from both ends.
@Suite(.timeLimit(.minutes(1)))
struct UpstreamTimeTests {
    @Test func silenceEndsWithATimeoutThatTellsWhatWasSent() async throws {
        let server = try ScriptedServer { connection in
            connection.readRequest()
            connection.readToEnd()
        }
        defer { server.stop() }
        try await UpstreamTestBed.run { client, _ in
            var bytesSent = 0
            // On a busy machine the time may be up before anything is sent; then it is tried with more of it.
            for timeout in [Duration.milliseconds(150), .seconds(3), .seconds(15)] where bytesSent == 0 {
                let request = HTTPTransportRequest.post(server.url + "/", "content", timeout: timeout)
                let error = try await UpstreamTestBed.failure(of: request, client)
                #expect(error.reason == .timeout)
                bytesSent = error.bytesSent
            }
            try #require(bytesSent == 7)
            let late = try await UpstreamTestBed.failure(of: .get(server.url + "/", timeout: .zero), client)
            #expect(late.reason == .timeout)
            #expect(late.bytesSent == 0)
        }
        // What was sent comes to the server's thread, if later.
        await until { !server.requests.isEmpty }
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
