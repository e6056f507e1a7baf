import Foundation
import TestSupport
import Testing

/// The gateway before the shared HTTP/1.1 conformance cases.
@Suite struct HTTP1ConformanceTests {
    @Test(.enabled(if: SharedMaterial.isExpected, "no shared material: the HTTP/1.1 conformance cases are skipped"))
    func everyCaseHasItsStrictOutcome() async throws {
        let shared = try #require(SharedMaterial.folder)
        let bed = try await TestBed()
        let results = bed.folder.appendingPathComponent("cases.json")
        let (status, text) = try await ChildProcess.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            [
                "python3", shared.appendingPathComponent("tools/http11_probe.py").path, "--port", "\(bed.port)",
                "--path-get", "/v1/echo", "--path-post", "/v1/echo", "--strict", "--json", results.path,
            ]
        )
        #expect(status == 0, "a must-level case fails")
        let summary = try #require(JSONText.object(Array(try Data(contentsOf: results))))
        print("HTTP/1.1 conformance, strict: \(summary["passed"] ?? "?") of 663 cases passed")
        #expect(summary["passed"] as? Int == 663, "\(text)")
        await bed.stop()
    }
}
