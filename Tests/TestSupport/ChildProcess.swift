public import Foundation

/// A program that runs as a process of its own.
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

    private let process: SpawnedProcess
    private let output: FileHandle
    /// Where its standard error goes; nil when that is joined to its standard output.
    public let log: URL?

    /// The folder of the package's built programs.
    private static let programs: URL = {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        if let bundle = Bundle.allBundles.first(where: { $0.bundlePath.hasSuffix(".xctest") }) {
            folder = bundle.bundleURL.deletingLastPathComponent()
        }
        return folder
    }()

    /// The file of a program of the package.
    public static func program(_ name: String) -> URL {
        Self.programs.appendingPathComponent(name)
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: Its file.
    ///   - log: Where its standard error goes, to be appended to; nil joins it to standard output.
    ///   - input: What it reads from its standard input.
    ///   - folder: Where it runs; nil for where the test runs.
    public init(
        _ program: URL,
        _ arguments: [String],
        log: URL? = nil,
        input: [UInt8] = [],
        in folder: URL? = nil
    ) throws {
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw Failure(description: "there is no program \(program.path); run swift build first if it is our own")
        }
        let input = try Self.reading(input)
        let errors = try log.map { try Self.appending(to: $0) }
        let pipe = Pipe()
        let written = pipe.fileHandleForWriting
        self.process = try SpawnedProcess(
            program.path,
            arguments,
            streams: [input, written, errors ?? written],
            in: folder?.path
        )
        try written.close()
        self.output = pipe.fileHandleForReading
        self.log = log
    }

    /// Runs a program to its end.
    ///
    /// - Returns: How it ended, as ``wait()`` tells it, and all its standard output.
    public static func run(
        _ program: URL,
        _ arguments: [String],
        log: URL? = nil,
        input: [UInt8] = [],
        in folder: URL? = nil
    ) async throws -> (status: Int32, output: String) {
        let process = try ChildProcess(program, arguments, log: log, input: input, in: folder)
        let output = await process.readToEnd()
        return (await process.wait(), output)
    }

    /// Opens a file, which is made where there is none, to write behind its end.
    private static func appending(to file: URL) throws -> FileHandle {
        if !FileManager.default.fileExists(atPath: file.path) {
            _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        }
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        return handle
    }

    /// Lends bytes as a file without a name: unlike a pipe, it never makes the writer wait or meet a broken end.
    private static func reading(_ bytes: [UInt8]) throws -> FileHandle {
        guard !bytes.isEmpty else { return try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/null")) }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("speechgate-\(UUID().uuidString)")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try FileHandle(forReadingFrom: file)
    }

    deinit {
        self.process.signal(SIGKILL)
    }

    /// The process id.
    public var pid: Int32 { self.process.pid }

    /// Whether it runs.
    public var isRunning: Bool { self.process.isRunning }

    /// The next line of its standard output, or nil when that has ended, or has none within a minute.
    public func readLine() async -> String? {
        await onThread {
            var line: [UInt8] = []
            var byte: UInt8 = 0
            while true {
                var ready = pollfd(fd: self.output.fileDescriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&ready, 1, 60_000) != 0 else { return nil }
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
        self.process.signal(number)
    }

    /// Waits for its end.
    ///
    /// - Returns: The exit status; a death by signal is 128 and its number.
    @discardableResult
    public func wait() async -> Int32 {
        await self.process.wait()
    }

    /// What it has written to standard error so far.
    public var errorText: String {
        self.log.flatMap { try? String(contentsOf: $0, encoding: .utf8) } ?? ""
    }
}

/// Runs blocking work on a thread of its own, so that it takes none of the few that tasks share.
public func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: work()) }
    }
}
