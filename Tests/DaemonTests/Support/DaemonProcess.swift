import Foundation
import Testing

/// The real program, started as a user would start it.
final class DaemonProcess: @unchecked Sendable {
    // `@unchecked Sendable`: the process is started in the initialiser; afterwards only its thread-safe identifier,
    // `kill(2)` and one waiting task touch it.
    private let process = Process()
    private let output = Pipe()
    private let errorFile: String
    /// Where the gateway and its operations listener are.
    let gatewayPort: UInt16
    let operationsPort: UInt16
    /// The first line of standard output.
    let line: String

    /// The program beside the test bundle.
    static let program: URL = {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        while folder.path.count > 1 {
            folder.deleteLastPathComponent()
            let candidate = folder.appendingPathComponent("speechgate")
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        }
        return URL(fileURLWithPath: ".build/debug/speechgate")
    }()

    /// Starts `serve` and returns when it is ready.
    init(_ scratch: ScratchDirectory, _ options: [String] = []) throws {
        self.errorFile = scratch.file("log-\(UUID().uuidString)")
        try Data().write(to: URL(fileURLWithPath: self.errorFile))
        self.process.executableURL = Self.program
        self.process.arguments = ["serve", "--config", scratch.configuration] + options
        self.process.standardOutput = self.output
        self.process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: self.errorFile))
        try self.process.run()
        var bytes = Data()
        while !bytes.contains(0x0A) {
            let piece = self.output.fileHandleForReading.availableData
            if piece.isEmpty { break }
            bytes += piece
        }
        self.line = String(decoding: bytes, as: UTF8.self)
        let addresses = try? JSONSerialization.jsonObject(with: bytes) as? [String: String]
        func port(_ name: String) -> UInt16? {
            (addresses?[name]).flatMap { URL(string: $0)?.port }.flatMap { UInt16(exactly: $0) }
        }
        guard let gateway = port("gateway"), let operations = port("ops") else {
            self.process.waitUntilExit()
            throw StartFailure(log: (try? String(contentsOfFile: self.errorFile, encoding: .utf8)) ?? "")
        }
        self.gatewayPort = gateway
        self.operationsPort = operations
    }

    deinit {
        if self.process.isRunning { self.signal(SIGKILL) }
    }

    struct StartFailure: Error {
        let log: String
    }

    var log: String { (try? String(contentsOfFile: self.errorFile, encoding: .utf8)) ?? "" }

    func signal(_ number: Int32) {
        kill(self.process.processIdentifier, number)
    }

    /// Waits for the end; the exit code, or minus the signal that killed it.
    @concurrent func exitCode() async -> Int32 {
        self.process.waitUntilExit()
        let status = self.process.terminationStatus
        return self.process.terminationReason == .uncaughtSignal ? -status : status
    }

    /// Runs the program to its end.
    @concurrent static func run(_ arguments: [String]) async throws -> (exitCode: Int32, output: String, errors: String)
    {
        let process = Process()
        let output = Pipe()
        let errors = Pipe()
        process.executableURL = Self.program
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // Either is short enough to fit into its pipe.
        process.waitUntilExit()
        return (
            process.terminationStatus,
            String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self),
            String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        )
    }
}
