import Foundation
import TestSupport
import Testing

@testable import PlatformSimulator

/// The TLS port as a foreign client sees it.
@Suite struct TLSFrontTests {
    private static let curl = "/usr/bin/curl"

    /// Runs curl and returns its exit status and output.
    private static func curl(_ arguments: [String]) async throws -> (status: Int32, output: String) {
        try await ChildProcess.run(
            URL(filePath: Self.curl),
            ["-sS", "--max-time", "20", "--noproxy", "*"] + arguments
        )
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: Self.curl)))
    func clientsThatTrustTheAuthorityAreServedAndOthersAreNot() async throws {
        let platform = try await SimulatedPlatform.start(.instant { $0.servesTLS = true })
        let url = try #require(platform.secureURL)
        let file = try #require(platform.certificateAuthorityFile)
        let trusting = try await Self.curl(["--cacert", file, "\(url)/healthz", "\(url)/healthz"])
        let doubting = try await Self.curl(["\(url)/healthz"])
        let dropped = try await Self.curl(["--cacert", file, "-H", "X-Sim-Fault: drop", "\(url)/api/v1/report/x"])
        await platform.stop()
        #expect(trusting.status == 0)
        #expect(trusting.output == #"{"status":"ok"}{"status":"ok"}"#)
        // 60: the certificate is signed by somebody unknown. 52: an empty answer.
        #expect(doubting.status == 60)
        #expect(dropped.status == 52)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func thereIsNoTLSUnlessItIsWanted() async throws {
        let platform = try await SimulatedPlatform.start(.instant { _ in })
        #expect(platform.secureURL == nil)
        #expect(platform.certificateAuthorityFile == nil)
        await platform.stop()
    }
}
