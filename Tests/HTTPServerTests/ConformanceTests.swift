import Foundation
import HTTPServer
import TestSupport
import Testing

@Suite struct ConformanceTests {
    @Test(.enabled(if: SharedMaterial.isExpected, "the shared material is not there"))
    func everyCaseOfTheConformanceProbePasses() async throws {
        let shared = try #require(SharedMaterial.folder)
        try await withServer { server in
            let port = try #require(server.addresses[0].port)
            let output = try await blocking {
                let probe = Process()
                probe.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                probe.arguments = [
                    "python3", shared.appending(path: "tools/http11_probe.py").path, "--port", "\(port)",
                    "--path-get", "/echo", "--path-post", "/echo", "--strict", "--fail-level", "may",
                ]
                let pipe = Pipe()
                probe.standardOutput = pipe
                probe.standardError = pipe
                try probe.run()
                let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                probe.waitUntilExit()
                return (output, probe.terminationStatus)
            }
            #expect(output.1 == 0, "\(output.0)")
            #expect(output.0.hasSuffix(" passed, 0 failed\n"), "\(output.0)")
        }
    }
}
