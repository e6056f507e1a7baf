import HTTPServer
import TestSupport
import Testing

@Suite struct ConformanceTests {
    @Test(.enabled(if: SharedMaterial.isExpected, "the shared material is not there"))
    func everyCaseOfTheConformanceProbePasses() async throws {
        try await withServer { server in
            let port = try #require(server.addresses[0].port)
            let (passed, failures) = try await HTTP1Probe.run(port: port, path: "/echo")
            #expect(passed == HTTP1Probe.caseCount, "\(failures)")
        }
    }
}
