public import Foundation

/// The daemon as a process of its own, started as a user would start it.
public final class GatewayProcess: Sendable {
    /// The process.
    public let process: ChildProcess
    /// The first line of its standard output, without its end.
    public let line: String
    /// The gateway's port.
    public let port: UInt16
    /// The operations listener's port.
    public let operationsPort: UInt16

    /// Starts `serve` and returns when it listens.
    ///
    /// - Parameters:
    ///   - configuration: The path of its configuration.
    ///   - options: What follows on the command line.
    ///   - log: Where its standard error goes; it is appended to.
    ///   - wrapper: The beginning of a command line whose program becomes the one that is named at its end.
    public init(
        _ configuration: String,
        _ options: [String] = [],
        log: URL,
        under wrapper: [String] = []
    ) async throws {
        let program = ChildProcess.program("speechgate").path
        let words = wrapper + [program, "serve", "--config", configuration] + options
        self.process = try ChildProcess(URL(fileURLWithPath: "/usr/bin/env"), words, log: log)
        self.line = await self.process.readLine() ?? ""
        let bytes = Array(self.line.utf8)
        guard let port = JSONText.port("gateway", of: bytes), let operations = JSONText.port("ops", of: bytes) else {
            throw ChildProcess.Failure(description: "the gateway did not start: \(self.process.errorText)")
        }
        self.port = port
        self.operationsPort = operations
    }

    /// Asks it to end; its exit status.
    public func terminate() async -> Int32 {
        self.process.signal(SIGTERM)
        return await self.process.wait()
    }

    /// Fetches something from the gateway.
    public func get(_ target: String, fields: [(String, String)] = []) async throws -> TestResponse {
        try await TestHTTPClient.exchange(port: self.port, "GET", target, fields: fields)
    }

    /// Sends a request without content to the operations listener.
    public func operations(_ target: String, method: String = "GET") async throws -> TestResponse {
        try await TestHTTPClient.exchange(port: self.operationsPort, method, target)
    }
}
