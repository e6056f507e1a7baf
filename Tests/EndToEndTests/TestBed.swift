import Foundation
import TestSupport
import Testing

/// The daemon and the platform simulator as processes, with a state directory of their own.
final class TestBed: Sendable {
    /// Settings that differ from what tests usually want; values are JSON5.
    struct Settings: Sendable {
        /// Members of the configuration's outermost object.
        var gateway: [String: String] = [:]
        /// Members of `yugu`.
        var yugu: [String: String] = ["retry": #"{ initialDelay: "20ms", maximumDelay: "200ms" }"#]
        /// Arguments of the simulator.
        var simulator = ["--processing-ms", "0"]
        /// The gateway's account secret, where it is not the simulator's.
        var secretKey: String?
    }

    let folder: URL
    let simulator: ChildProcess
    let simulatorPort: UInt16
    let appKey: String
    let secretKey: String
    let apiKey: String
    private nonisolated(unsafe) var running: ChildProcess
    private nonisolated(unsafe) var ports: (gateway: UInt16, operations: UInt16)

    /// The daemon that runs now. A test restarts it from one task only.
    var gateway: ChildProcess { self.running }
    /// The gateway's port.
    var port: UInt16 { self.ports.gateway }
    /// The operations listener's port.
    var operationsPort: UInt16 { self.ports.operations }
    var config: URL { self.folder.appendingPathComponent("speechgate.json5") }
    var stateDirectory: URL { self.folder.appendingPathComponent("state") }
    var gatewayLog: URL { self.folder.appendingPathComponent("gateway.log") }

    /// Starts both, and adds a client that may do everything.
    init(_ settings: Settings = Settings()) async throws {
        self.folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("speechgate-e2e-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        self.simulator = try ChildProcess(
            "speechsim",
            ["--listen", "127.0.0.1:0"] + settings.simulator,
            log: self.folder.appendingPathComponent("simulator.log")
        )
        let line = Array(try #require(await self.simulator.readLine(), "the simulator says where it listens").utf8)
        self.simulatorPort = try Self.port(of: JSONText.member("http", of: line))
        self.appKey = try #require(JSONText.member("appKey", of: line))
        self.secretKey = try #require(JSONText.member("secretKey", of: line))
        try Self.write(settings, folder: self.folder, appKey: self.appKey, secretKey: self.secretKey, port: self.simulatorPort)
        (self.running, self.ports) = try await Self.serve(in: self.folder)
        let add = try ChildProcess(
            "speechgate",
            ["client", "add", "school", "--config", self.folder.appendingPathComponent("speechgate.json5").path],
            log: self.folder.appendingPathComponent("client.log")
        )
        let client = Array(await add.readToEnd().utf8)
        #expect(await add.wait() == 0, "\(add.errorText)")
        self.apiKey = try #require(JSONText.member("apiKey", of: client))
    }

    /// Ends both and removes their files, unless told otherwise.
    func stop(keepingFiles: Bool = false) async {
        self.running.signal(SIGTERM)
        self.simulator.signal(SIGTERM)
        await self.running.wait()
        await self.simulator.wait()
        if !keepingFiles { self.removeFiles() }
    }

    func removeFiles() {
        try? FileManager.default.removeItem(at: self.folder)
    }

    /// Kills the daemon without warning and starts it again on the same state.
    func killAndRestart() async throws {
        self.running.signal(SIGKILL)
        await self.running.wait()
        try await self.restart()
    }

    /// Starts the daemon again after its end.
    func restart() async throws {
        (self.running, self.ports) = try await Self.serve(in: self.folder)
    }

    /// Sends an evaluation.
    func evaluate(
        key: String? = nil,
        user: String? = nil,
        form: TestForm = .evaluation(),
        fields: [(String, String)] = []
    ) async throws -> TestResponse {
        var all = [("Authorization", "Bearer \(self.apiKey)"), form.contentType]
        if let key { all.append(("Idempotency-Key", key)) }
        if let user { all.append(("SpeechGate-User", user)) }
        return try await TestHTTPClient.exchange(
            port: self.port,
            "POST",
            "/api/v1/evaluate",
            fields: all + fields,
            body: form.bytes
        )
    }

    /// Fetches something with the client's credential.
    func get(_ target: String, fields: [(String, String)] = []) async throws -> TestResponse {
        try await TestHTTPClient.exchange(
            port: self.port,
            "GET",
            target,
            fields: [("Authorization", "Bearer \(self.apiKey)")] + fields
        )
    }

    /// Queues faults at the simulator, each for one request.
    func faults(_ verbs: String...) async throws {
        let list = verbs.map { #"{"match":"/","fault":"\#($0)"}"# }.joined(separator: ",")
        let response = try await TestHTTPClient.exchange(
            port: self.simulatorPort,
            "POST",
            "/__sim/faults",
            fields: [("Content-Type", "application/json")],
            body: Array(#"{"faults":[\#(list)]}"#.utf8)
        )
        #expect(response.status == 200, "\(response.text)")
    }

    /// How many evaluations the simulator has billed.
    func billed() async throws -> Int {
        let response = try await TestHTTPClient.exchange(port: self.simulatorPort, "GET", "/__sim/billing")
        return try #require(response.json("billed").flatMap { Int($0) })
    }

    /// The requests that the simulator has seen at the evaluation route.
    func platformLog() async throws -> [[String: Any]] {
        let response = try await TestHTTPClient.exchange(port: self.simulatorPort, "GET", "/__sim/log")
        let list = try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [[String: Any]])
        return list.filter { ($0["path"] as? String)?.hasPrefix("/api/") == true }
    }

    private static func serve(in folder: URL) async throws -> (ChildProcess, (UInt16, UInt16)) {
        let process = try ChildProcess(
            "speechgate",
            ["serve", "--config", folder.appendingPathComponent("speechgate.json5").path],
            log: folder.appendingPathComponent("gateway.log")
        )
        guard let line = await process.readLine() else {
            throw ChildProcess.Failure(description: "the gateway did not start: \(process.errorText)")
        }
        let bytes = Array(line.utf8)
        return (
            process,
            (try Self.port(of: JSONText.member("gateway", of: bytes)), try Self.port(of: JSONText.member("ops", of: bytes)))
        )
    }

    private static func port(of url: String?) throws -> UInt16 {
        try #require(url.flatMap { URL(string: $0)?.port }.flatMap { UInt16(exactly: $0) }, "an address with a port")
    }

    private static func write(
        _ settings: Settings,
        folder: URL,
        appKey: String,
        secretKey: String,
        port: UInt16
    ) throws {
        func file(_ name: String, _ text: String) throws -> String {
            let url = folder.appendingPathComponent(name)
            try Data(text.utf8).write(to: url)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
            return #"{ file: "\#(url.path)" }"#
        }
        let master = try file("master.secret", String(repeating: "0123456789abcdef", count: 4))
        let upstream = try file("upstream.secret", String(repeating: "fedcba9876543210", count: 4))
        let account = try file("account.secret", settings.secretKey ?? secretKey)
        var gateway = [
            "listen": #"["127.0.0.1:0"]"#,
            "operations": #"{ listen: "127.0.0.1:0" }"#,
            "stateDirectory": "\"\(folder.appendingPathComponent("state").path)\"",
            "log": #"{ level: "debug" }"#,
            "echo": "true",
            "loops": "2",
            "secrets": "{ master: \(master), upstreamKey: \(upstream) }",
        ].merging(settings.gateway) { $1 }
        let yugu = [
            "baseURL": "\"http://127.0.0.1:\(port)\"",
            "accounts": #"[{ name: "main", appKey: "\#(appKey)", secretKey: \#(account) }]"#,
        ].merging(settings.yugu) { $1 }
        gateway["yugu"] = "{ " + yugu.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + " }"
        let text = "{\n" + gateway.map { "  \($0.key): \($0.value)" }.joined(separator: ",\n") + "\n}\n"
        try Data(text.utf8).write(to: folder.appendingPathComponent("speechgate.json5"))
    }
}
