import Locking

@testable import Daemon

/// A verb that ran within the test's process, with what it wrote.
struct CapturedRun: Sendable {
    let exitCode: ExitCode
    let output: String
    let complaints: [String]

    static func run(_ arguments: [String], environment: [String: String] = [:]) async -> CapturedRun {
        let writing = Writing()
        let console = Console(
            output: { bytes in writing.output.withLock { $0 += bytes } },
            complaint: { line in writing.complaints.withLock { $0.append(line) } }
        )
        let exitCode = await Program.run(arguments, environment: environment, console: console)
        return CapturedRun(
            exitCode: exitCode,
            output: String(decoding: writing.output.withLock { $0 }, as: UTF8.self),
            complaints: writing.complaints.withLock { $0 }
        )
    }

    private final class Writing: Sendable {
        let output = Locked<[UInt8]>([])
        let complaints = Locked<[String]>([])
    }
}
