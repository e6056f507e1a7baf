import Foundation
import TestSupport
import Testing

/// The gateway before the shared HTTP/1.1 conformance cases.
@Suite struct ConformanceTests {
    @Test(.enabled(if: SharedMaterial.isExpected, "no shared material: the HTTP/1.1 conformance cases are skipped"))
    func everyCaseHasItsStrictOutcome() async throws {
        let shared = try #require(SharedMaterial.folder)
        let bed = try await TestBed()
        let results = bed.folder.appendingPathComponent("cases.json")
        let probe = Process()
        probe.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        probe.arguments = [
            "python3", shared.appendingPathComponent("tools/http11_probe.py").path, "--port", "\(bed.port)",
            "--path-get", "/v1/echo", "--path-post", "/v1/echo", "--strict", "--json", results.path,
        ]
        let output = Pipe()
        probe.standardOutput = output
        try probe.run()
        let text = await onThread {
            String(decoding: (try? output.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
        }
        await onThread { probe.waitUntilExit() }
        #expect(probe.terminationStatus == 0, "a must-level case fails")
        let summary = try #require(JSONText.object(Array(try Data(contentsOf: results))))
        print("HTTP/1.1 conformance, strict: \(summary["passed"] ?? "?") of 663 cases passed")
        #expect(summary["passed"] as? Int == 663, "\(text)")
        await bed.stop()
    }
}
