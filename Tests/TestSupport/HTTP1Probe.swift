internal import Foundation

/// The shared HTTP/1.1 conformance cases, run against a server.
public enum HTTP1Probe {
    /// The number of cases.
    public static let caseCount = 663

    /// Runs all cases and takes their strict outcome only.
    ///
    /// A case has three seconds, which a machine that does other work may need itself: one that fails is run three times
    /// more, with nothing beside it, and counts when it passes each time.
    ///
    /// - Parameters:
    ///   - port: The server's.
    ///   - path: Where both GET and POST, with any content, are answered with 200.
    /// - Returns: How many passed, and what was said of the others.
    public static func run(port: UInt16, path: String) async throws -> (passed: Int, failures: String) {
        let arguments = ["--port", "\(port)", "--path-get", path, "--path-post", path, "--strict"]
        let output = try await Self.probe(arguments)
        let failed = output.split(separator: "\n").filter { $0.hasPrefix("FAIL ") }
        guard !failed.isEmpty else { return (Self.passed(output), "") }
        let cases = failed.compactMap { line in
            // FAIL, level, group, and the case before a colon.
            line.split(separator: " ").dropFirst(3).first.map { $0.prefix { $0 != ":" } }
        }
        print("HTTP/1.1 conformance: run again: \(cases.joined(separator: ", "))")
        for _ in 0..<3 {
            let again = try await Self.probe(arguments + ["--jobs", "1"] + cases.flatMap { ["--id", String($0)] })
            guard Self.passed(again) == cases.count else { return (Self.passed(output), output + again) }
        }
        return (Self.passed(output) + cases.count, "")
    }

    private static func probe(_ arguments: [String]) async throws -> String {
        guard let shared = SharedMaterial.folder else {
            throw ChildProcess.Failure(description: "the shared material is not there")
        }
        let program = shared.appendingPathComponent("tools/http11_probe.py").path
        return try await ChildProcess.run(URL(fileURLWithPath: "/usr/bin/env"), ["python3", program] + arguments).output
    }

    /// The last line is `660 passed, 3 failed`.
    private static func passed(_ output: String) -> Int {
        output.split(separator: "\n").last?.split(separator: " ").first.flatMap { Int($0) } ?? 0
    }
}
