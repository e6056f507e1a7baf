import EventLoop
import FoundationEssentials
import Glibc
import HTTPWire
import Synchronization
import Telemetry
import Testing

@testable import HTTPServer

func temporaryPath() -> String {
    "/tmp/speechgate-test-\(UInt32.random(in: 0...UInt32.max)).sock"
}

@Suite struct ListenTests {
    @Test(
        arguments: [
            ("127.0.0.1:8790", ListenAddress.tcp(host: "127.0.0.1", port: 8790)),
            ("[::1]:80", .tcp(host: "::1", port: 80)),
            ("localhost:0", .tcp(host: "localhost", port: 0)),
            ("unix:/run/speechgate.sock", .unix(path: "/run/speechgate.sock")),
            ("fd:3", .inherited(descriptor: 3)),
        ]
    )
    func addressesAreReadAndWritten(text: String, address: ListenAddress) throws {
        #expect(try ListenAddress(text) == address)
        #expect(address.description == text)
    }

    @Test(
        arguments: [
            "", "8790", ":8790", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+80", "::1:80", "[::1]",
            "[127.0.0.1]:80", "unix:", "fd:1", "fd:x", "a[b:1",
        ]
    )
    func otherTextIsNoAddress(text: String) {
        let error = #expect(throws: HTTPServerError.self) { try ListenAddress(text) }
        #expect(error?.code == .invalidAddress)
    }

    @Test func anIPv6AddressIsServed() async throws {
        try await withServer(listen: [.tcp(host: "::1", port: 0)]) { server in
            #expect(server.addresses[0].description == "[::1]:\(server.addresses[0].port ?? 0)")
            let client = try server.client()
            #expect(try await client.exchange("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
        }
    }

    @Test func aPortInUseIsSaidSo() async throws {
        try await withServer { server in
            let port = try #require(server.addresses[0].port)
            let error = await self.failure(.tcp(host: "127.0.0.1", port: port))
            #expect(error?.code == .addressInUse)
            #expect(error?.message.contains("127.0.0.1:\(port)") == true)
        }
    }

    @Test(
        arguments: [
            (ListenAddress.tcp(host: "192.0.2.1", port: 0), HTTPServerError.Code.noSuchAddress),
            (.tcp(host: "no-such-host.invalid", port: 0), .noSuchAddress),
            (.unix(path: "/tmp/no-such-folder-here/a.sock"), .noSuchAddress),
            (.unix(path: "/tmp/" + String(repeating: "a", count: 200)), .invalidAddress),
            (.inherited(descriptor: 0), .notListening),
        ]
    )
    func otherFailuresAreToldApart(address: ListenAddress, code: HTTPServerError.Code) async {
        #expect(await self.failure(address)?.code == code)
    }

    @Test func oneBadAddressLeavesNoneOpen() async throws {
        let path = temporaryPath()
        let error = await self.failure(.unix(path: path), .tcp(host: "192.0.2.1", port: 0))
        #expect(error?.code == .noSuchAddress)
        #expect(access(path, F_OK) != 0)
    }

    @Test func aServerStartsOnce() async throws {
        try await withServer { server in
            let error = await #expect(throws: HTTPServerError.self) { try await server.server.start() }
            #expect(error?.code == .alreadyStarted)
            let client = try server.client()
            #expect(try await client.exchange("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
        }
    }

    // MARK: - Unix domain

    @Test func aUnixSocketIsServedWithItsModeAndRemovedInTheEnd() async throws {
        let path = temporaryPath()
        try await withServer(
            Responder { .text(200, $0.peerAddress) },
            listen: [.unix(path: path)],
            configuration: .with { $0.unixSocketMode = 0o600 }
        ) { server in
            let client = try server.client()
            #expect(try await client.exchange("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n").text == "unix")
            var status = stat()
            #expect(lstat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test func aStaleSocketFileIsReplaced() async throws {
        let path = temporaryPath()
        // What a killed process leaves: bound, and nobody there.
        let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try self.bindUnix(left, path)
        close(left)
        #expect(access(path, F_OK) == 0)
        try await withServer(listen: [.unix(path: path)]) { server in
            let client = try server.client()
            #expect(try await client.exchange("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
        }
    }

    @Test func aSocketThatSomebodyServesIsLeftAlone() async throws {
        let path = temporaryPath()
        try await withServer(listen: [.unix(path: path)]) { server in
            #expect(await self.failure(.unix(path: path))?.code == .addressInUse)
            let client = try server.client()
            #expect(try await client.exchange("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
        }
    }

    @Test func aFileThatIsNoSocketIsLeftAlone() async throws {
        let path = temporaryPath()
        let file = open(path, O_CREAT | O_WRONLY, 0o600)
        close(file)
        defer { unlink(path) }
        #expect(await self.failure(.unix(path: path))?.code == .pathOccupied)
        #expect(access(path, F_OK) == 0)
    }

    @Test func anInheritedSocketIsServed() async throws {
        let path = temporaryPath()
        let inherited = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try self.bindUnix(inherited, path)
        defer { unlink(path) }
        try #require(listen(inherited, 8) == 0)
        try await withServer(listen: [.inherited(descriptor: inherited)]) { server in
            #expect(server.addresses[0].description == "unix:\(path)")
            let client = try server.client()
            #expect(try await client.exchange("GET /echo HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
        }
        // Whoever made the file removes it.
        #expect(access(path, F_OK) == 0)
    }

    private func bindUnix(_ descriptor: Int32, _ path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
    }

    private func failure(_ addresses: ListenAddress...) async -> HTTPServerError? {
        guard let loop = try? EventLoop(index: 0) else { return nil }
        defer { loop.stop() }
        var configuration = HTTPServer.Configuration()
        configuration.listen = addresses
        let server = HTTPServer(
            configuration: configuration,
            loops: [loop],
            responder: Responder.echo,
            logger: Logger(sink: RecordingSink())
        )
        do throws(HTTPServerError) {
            _ = try await server.start()
            await server.stop()
            return nil
        } catch {
            return error
        }
    }
}
