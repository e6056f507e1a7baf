import TestSupport
import Testing

/// The gateway before the shared HTTP/1.1 conformance cases.
@Suite struct HTTP1ConformanceTests {
    @Test(.enabled(if: SharedMaterial.isExpected, "no shared material: the HTTP/1.1 conformance cases are skipped"))
    func everyCaseHasItsStrictOutcome() async throws {
        let bed = try await TestBed()
        let (passed, failures) = try await HTTP1Probe.run(port: bed.port, path: "/v1/echo")
        print("HTTP/1.1 conformance, strict: \(passed) of \(HTTP1Probe.caseCount) cases passed")
        #expect(passed == HTTP1Probe.caseCount, "\(failures)")
        await bed.stop()
    }
}
