import Foundation
import TestSupport

/// A directory with a configuration and its secrets, removed with its last reference.
final class ScratchDirectory: Sendable {
    let path: String

    /// - Parameters:
    ///   - settings: Members of the configuration beside secrets, state directory and account.
    ///   - yugu: Members of `yugu` beside the accounts.
    init(settings: String = "", yugu: String = "") throws {
        var template = Array("/tmp/speechgate-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
        self.path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try self.write("master", String(repeating: "0123456789abcdef", count: 4) + "\n", mode: 0o600)
        try self.write("upstream", String(repeating: "fedcba9876543210", count: 4) + "\n", mode: 0o600)
        try self.write("account", "hunter2-hunter2\n", mode: 0o600)
        try self.write(
            "speechgate.json5",
            """
            {
              listen: ["127.0.0.1:0"], operations: {listen: "127.0.0.1:0"}, stateDirectory: "state", loops: 1,
              secrets: {master: {file: "master"}, upstreamKey: {file: "upstream"}},
              yugu: {accounts: [{name: "main", appKey: "app-key-1", secretKey: {file: "account"}}], \(yugu)},
              \(settings)
            }
            """,
            mode: 0o644
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: self.path)
    }

    var configuration: String { self.file("speechgate.json5") }

    func file(_ name: String) -> String { self.path + "/" + name }

    func write(_ name: String, _ text: String, mode: Int) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: self.file(name)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: self.file(name))
    }

    /// Starts `serve` and returns when it is ready.
    func serve(_ options: [String] = []) async throws -> GatewayProcess {
        try await GatewayProcess(
            self.configuration,
            options,
            log: URL(fileURLWithPath: self.file("log-\(UUID().uuidString)"))
        )
    }

    /// Runs the program to its end.
    func speechgate(_ words: [String]) async throws -> (exitCode: Int32, output: String, errors: String) {
        let log = self.file("errors-\(UUID().uuidString)")
        let (status, output) = try await ChildProcess.run(
            ChildProcess.program("speechgate"),
            words,
            log: URL(fileURLWithPath: log)
        )
        return (status, output, try String(contentsOfFile: log, encoding: .utf8))
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: self.file(name))
    }
}
