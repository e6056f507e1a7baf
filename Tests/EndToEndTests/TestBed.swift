import Foundation
import Locking
import TestSupport
import Testing

/// The daemon and the platform simulator as processes, with a state directory of their own.
final class TestBed: Sendable {
    /// An account at the platform, under a key pair that the simulator is told.
    struct PlatformAccount: Sendable {
        let name: String
        /// Further members of its settings; values are JSON5.
        var members = ""

        var appKey: String { "ak_\(self.name)" }
        var secretKey: String { "secret-of-\(self.name)" }
    }

    /// Settings that differ from what tests usually want; values are JSON5.
    struct Settings: Sendable {
        /// Members of the configuration's outermost object.
        var gateway: [String: String] = [:]
        /// Members of `yugu`.
        var yugu: [String: String] = ["retry": #"{ initialDelay: "20ms", maximumDelay: "200ms" }"#]
        /// Arguments of the simulator.
        var simulator = ["--processing-ms", "0"]
        /// The accounts, where it is not one that the simulator makes up.
        var accounts: [PlatformAccount] = []
        /// The gateway's account secret, where it is not the simulator's.
        var secretKey: String?
        /// Size of a file system of its own for the state directory, for instance `3m`; nil for a plain folder.
        var stateSize: String?
        /// Variables of the daemon's environment, as env(1) takes them, and behind them a program that starts it.
        var environment: [String] = []
        /// What the client may do, as `client add --scopes` takes it; nil for what it gives by itself.
        var clientScopes: String?
    }

    let folder: URL
    let simulator: ChildProcess
    let simulatorPort: UInt16
    /// The simulator with TLS, where its arguments want that.
    let securePlatform: (url: String, authorityFile: String)?
    let appKey: String
    let secretKey: String
    let apiKey: String
    private let stateSize: String?
    private let environment: [String]
    private let running: Locked<GatewayProcess>

    /// The daemon that runs now.
    private var daemon: GatewayProcess { self.running.withLock { $0 } }
    var gateway: ChildProcess { self.daemon.process }
    /// The gateway's port.
    var port: UInt16 { self.daemon.port }
    /// The operations listener's port.
    var operationsPort: UInt16 { self.daemon.operationsPort }
    var config: URL { self.folder.appendingPathComponent("speechgate.json5") }
    var stateDirectory: URL { self.folder.appendingPathComponent("state") }
    var gatewayLog: URL { self.folder.appendingPathComponent("gateway.log") }

    /// Starts both, and adds a client.
    init(_ settings: Settings = Settings()) async throws {
        self.folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("speechgate-e2e-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        self.simulator = try ChildProcess(
            ChildProcess.program("speechsim"),
            ["--listen", "127.0.0.1:0"] + settings.simulator
                + settings.accounts.flatMap { ["--app-key", $0.appKey, "--secret-key", $0.secretKey] },
            log: self.folder.appendingPathComponent("simulator.log")
        )
        let line = Array(try #require(await self.simulator.readLine(), "the simulator says where it listens").utf8)
        self.simulatorPort = try #require(JSONText.port("http", of: line))
        if let url = JSONText.member("https", of: line), let file = JSONText.member("caFile", of: line) {
            self.securePlatform = (url, file)
        } else {
            self.securePlatform = nil
        }
        self.appKey = try #require(JSONText.member("appKey", of: line))
        self.secretKey = try #require(JSONText.member("secretKey", of: line))
        var settings = settings
        // A small file system of its own has never so much room as a disk has to have.
        if settings.stateSize != nil, settings.gateway["limits"] == nil {
            settings.gateway["limits"] = #"{ minimumFreeDisk: "0B" }"#
        }
        try Self.write(
            settings,
            folder: self.folder,
            appKey: self.appKey,
            secretKey: self.secretKey,
            port: self.simulatorPort
        )
        self.stateSize = settings.stateSize
        self.environment = settings.environment
        self.running = Locked(
            try await Self.serve(in: self.folder, stateSize: settings.stateSize, environment: settings.environment)
        )
        let daemon = settings.stateSize == nil ? nil : self.running.withLock { $0.process }
        let scopes = settings.clientScopes.map { ["--scopes", $0] } ?? []
        let added = try await Self.speechgate(["client", "add", "school"] + scopes, in: self.folder, of: daemon)
        self.apiKey = try #require(JSONText.member("apiKey", of: Array(added.output.utf8)))
    }

    /// Ends both and removes their files, unless told otherwise.
    func stop(keepingFiles: Bool = false) async {
        let gateway = self.gateway
        gateway.signal(SIGTERM)
        self.simulator.signal(SIGTERM)
        await gateway.wait()
        await self.simulator.wait()
        if !keepingFiles { self.removeFiles() }
    }

    func removeFiles() {
        try? FileManager.default.removeItem(at: self.folder)
    }

    /// Kills the daemon without warning and starts it again on the same state.
    func killAndRestart() async throws {
        self.gateway.signal(SIGKILL)
        await self.gateway.wait()
        try await self.restart()
    }

    /// Starts the daemon again after its end.
    func restart() async throws {
        let next = try await Self.serve(in: self.folder, stateSize: self.stateSize, environment: self.environment)
        // What the old one holds is let go of behind the lock, not under it.
        let last = self.running.withLock { running in
            defer { running = next }
            return running
        }
        withExtendedLifetime(last) {}
    }

    /// Changes the configuration's file; the daemon that runs does not know yet.
    func edit(_ old: String, _ new: String) throws {
        let text = try String(contentsOf: self.config, encoding: .utf8)
        #expect(text.contains(old))
        try Data(text.replacingOccurrences(of: old, with: new).utf8).write(to: self.config)
    }

    /// Sends an evaluation.
    func evaluate(
        _ path: String = "/api/v1/evaluate",
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
            path,
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
        try await self.faults(verbs)
    }

    /// Queues faults at the simulator, each for one request.
    func faults(_ verbs: [String]) async throws {
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

    /// The requests that the simulator has seen.
    func platformLog() async throws -> [[String: Any]] {
        let response = try await TestHTTPClient.exchange(port: self.simulatorPort, "GET", "/__sim/log")
        return try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [[String: Any]])
    }

    private static func serve(
        in folder: URL,
        stateSize: String?,
        environment: [String]
    ) async throws -> GatewayProcess {
        let state = folder.appendingPathComponent("state").path
        // The program replaces the shell, so its pid is the process's own; the mount dies with it.
        let mount = stateSize.map { size in
            let script = "mkdir -p '\(state)' && mount -t tmpfs -o size=\(size) tmpfs '\(state)' && exec \"$@\""
            return ["unshare", "-m", "sh", "-c", script, "sh"]
        }
        return try await GatewayProcess(
            folder.appendingPathComponent("speechgate.json5").path,
            log: folder.appendingPathComponent("gateway.log"),
            under: environment + (mount ?? [])
        )
    }

    /// Runs a shell command in the daemon's own view of the file systems.
    func shell(_ command: String) async throws -> (status: Int32, output: String) {
        try await ChildProcess.run(
            URL(fileURLWithPath: "/usr/bin/nsenter"),
            ["-t", "\(self.gateway.pid)", "-m", "sh", "-c", command],
            log: self.folder.appendingPathComponent("shell.log")
        )
    }

    /// Runs one of the daemon's verbs beside the running daemon.
    func speechgate(_ arguments: String...) async throws -> (status: Int32, output: String) {
        try await self.speechgate(arguments)
    }

    /// Runs one of the daemon's verbs beside the running daemon.
    func speechgate(_ arguments: [String]) async throws -> (status: Int32, output: String) {
        try await Self.speechgate(arguments, in: self.folder, of: self.stateSize == nil ? nil : self.gateway)
    }

    /// - Parameter daemon: Whose view of the file systems counts; nil for the test's own.
    private static func speechgate(
        _ arguments: [String],
        in folder: URL,
        of daemon: ChildProcess?
    ) async throws -> (status: Int32, output: String) {
        let enter = daemon.map { ["nsenter", "-t", "\($0.pid)", "-m"] } ?? []
        let config = ["--config", folder.appendingPathComponent("speechgate.json5").path]
        return try await ChildProcess.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            enter + [ChildProcess.program("speechgate").path] + arguments + config,
            log: folder.appendingPathComponent("verbs.log")
        )
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
        var accounts = [#"{ name: "main", appKey: "\#(appKey)", secretKey: \#(account) }"#]
        if !settings.accounts.isEmpty {
            accounts = try settings.accounts.map { account in
                let secret = try file("\(account.name).secret", account.secretKey)
                let members = #"name: "\#(account.name)", appKey: "\#(account.appKey)", secretKey: \#(secret)"#
                return "{ \(members), \(account.members) }"
            }
        }
        let yugu = [
            "baseURL": "\"http://127.0.0.1:\(port)\"",
            "accounts": "[\(accounts.joined(separator: ", "))]",
        ].merging(settings.yugu) { $1 }
        gateway["yugu"] = "{ " + yugu.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + " }"
        let text = "{\n" + gateway.map { "  \($0.key): \($0.value)" }.joined(separator: ",\n") + "\n}\n"
        try Data(text.utf8).write(to: folder.appendingPathComponent("speechgate.json5"))
    }
}
