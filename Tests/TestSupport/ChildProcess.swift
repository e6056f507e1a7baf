public import Foundation
internal import Locking

/// A program of the package that runs as a process of its own.
public final class ChildProcess: Sendable {
    /// Why a program cannot be used.
    public struct Failure: Error, CustomStringConvertible {
        /// What went wrong.
        public let description: String

        /// Takes a reason.
        public init(description: String) {
            self.description = description
        }
    }

    // One at a time: a child started in between would inherit the descriptors by which Foundation learns of the other's
    // end, and that end would go unnoticed while the child lives.
    private static let spawning = Locked(())

    private let process: Process
    private let output: FileHandle
    /// What the program wrote to standard error.
    public let log: URL

    /// The folder of the package's built programs.
    public static let programs: URL = {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        if let bundle = Bundle.allBundles.first(where: { $0.bundlePath.hasSuffix(".xctest") }) {
            folder = bundle.bundleURL.deletingLastPathComponent()
        }
        return folder
    }()

    /// Starts a program of the package.
    ///
    /// - Parameters:
    ///   - name: The program's name.
    ///   - log: Where its standard error goes; it is appended to.
    ///   - environment: Variables beside the test's own.
    public convenience init(
        _ name: String,
        _ arguments: [String],
        log: URL,
        environment: [String: String] = [:]
    ) throws {
        try self.init(Self.programs.appendingPathComponent(name), arguments, log: log, environment: environment)
    }

    /// Starts any program.
    ///
    /// - Parameters:
    ///   - program: Its file.
    ///   - log: Where its standard error goes; it is appended to.
    ///   - environment: Variables beside the test's own.
    public init(
        _ program: URL,
        _ arguments: [String],
        log: URL,
        environment: [String: String] = [:]
    ) throws {
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw Failure(description: "\(program.path) is not built; run swift build first")
        }
        if !FileManager.default.fileExists(atPath: log.path) {
            _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        }
        let errors = try FileHandle(forWritingTo: log)
        try errors.seekToEnd()
        self.process = Process()
        self.log = log
        self.process.executableURL = program
        self.process.arguments = arguments
        self.process.standardInput = FileHandle.nullDevice
        self.process.standardError = errors
        self.process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let process = self.process
        self.output = try Self.spawning.withLock { _ in
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            return pipe.fileHandleForReading
        }
    }

    deinit {
        if self.process.isRunning { Foundation.kill(self.process.processIdentifier, SIGKILL) }
    }

    /// The process id.
    public var pid: Int32 { self.process.processIdentifier }

    /// Whether it runs.
    public var isRunning: Bool { self.process.isRunning }

    /// The next line of its standard output, or nil when that has ended.
    public func readLine() async -> String? {
        await onThread {
            var line: [UInt8] = []
            var byte: UInt8 = 0
            while true {
                let count = read(self.output.fileDescriptor, &byte, 1)
                // A signal to the test process is no end of the output.
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
                if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
                line.append(byte)
            }
        }
    }

    /// All further standard output, to its end.
    public func readToEnd() async -> String {
        await onThread { String(decoding: (try? self.output.readToEnd()) ?? Data(), as: UTF8.self) }
    }

    /// Sends a signal.
    public func signal(_ number: Int32) {
        if self.process.isRunning { Foundation.kill(self.process.processIdentifier, number) }
    }

    /// Waits for its end.
    ///
    /// - Returns: The exit status; a death by signal is 128 and its number.
    @discardableResult
    public func wait() async -> Int32 {
        await onThread {
            self.process.waitUntilExit()
            let status = self.process.terminationStatus
            return self.process.terminationReason == .exit ? status : 128 + status
        }
    }

    /// What it has written to standard error so far.
    public var errorText: String {
        (try? String(contentsOf: self.log, encoding: .utf8)) ?? ""
    }
}

/// Runs blocking work on a thread of its own, so that it takes none of the few that tasks share.
public func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: work()) }
    }
}
