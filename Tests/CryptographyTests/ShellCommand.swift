import Foundation
import TestSupport
import Testing

/// Runs a tool of the system as a witness.
enum ShellCommand {
    /// What a command writes; fails the test when it does not end with success.
    static func output(of command: String) async throws -> String {
        let (status, output) = try await ChildProcess.run(URL(fileURLWithPath: "/bin/sh"), ["-c", command])
        try #require(status == 0, "`\(command)` ended with \(status): \(output)")
        return output
    }
}
