import EventLoop
import HTTPWire
import Telemetry
import UpstreamClient

/// Runs the cases that the suite's server has, echoing what comes.
struct EchoClient: Sendable {
    /// Why the cases could not be run.
    struct Failure: Error {
        let message: String
    }

    private static let agent = "speechgate"

    private let client: UpstreamClient
    private let url: String

    /// - Parameter url: The server's, without a path.
    static func run(_ url: String) async throws {
        let loop = try EventLoop(index: 0)
        defer { loop.stop() }
        var configuration = UpstreamClient.Configuration()
        configuration.webSocketBytes = 256 << 20
        let client = try UpstreamClient(configuration: configuration, loops: [loop], logger: Logger(sink: Silence()))
        let echo = EchoClient(client: client, url: url)
        try await Task(executorPreference: loop.executor) { try await echo.runCases() }.value
        await client.shutdown()
    }

    private func runCases() async throws {
        let channel = try await self.open("/getCaseCount")
        guard let message = await channel.receive(),
            let count = Int(String(decoding: message.bytes, as: UTF8.self))
        else { throw Failure(message: "the number of cases did not come") }
        _ = await channel.untilEnd()
        for number in 1...max(1, count) {
            let channel = try await self.open("/runCase?case=\(number)&agent=\(Self.agent)")
            while let message = await channel.receive() { await channel.send(message) }
            _ = await channel.untilEnd()
        }
        _ = await (try await self.open("/updateReports?agent=\(Self.agent)")).untilEnd()
    }

    private func open(_ target: String) async throws -> any WebSocketChannel {
        var request = WebSocketRequest(url: self.url + target)
        request.configuration.limits.frameBytes = 16 << 20
        request.configuration.limits.messageBytes = 16 << 20
        request.configuration.pingInterval = nil
        return try await self.client.open(request)
    }
}
