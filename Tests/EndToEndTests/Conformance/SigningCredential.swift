import Foundation
import TestSupport
import Testing

/// What a client signs with, at the platform or at the gateway (contract yugu, section 3.2).
struct SigningCredential: Sendable {
    let appKey: String
    let secretKey: String

    /// The four fields over a text, fresh each time.
    func fields(signing text: String) async throws -> [(String, String)] {
        [
            ("X-App-Key", self.appKey), ("X-Timestamp", "\(Int(Date().timeIntervalSince1970))"),
            ("X-Nonce", UUID().uuidString), ("X-Signature", try await Self.signature(text, self.secretKey)),
        ]
    }

    /// By the openssl command, which shares no code with anything here.
    private static func signature(_ text: String, _ secret: String) async throws -> String {
        let (status, output) = try await ChildProcess.run(
            URL(fileURLWithPath: "/usr/bin/openssl"),
            ["dgst", "-sha256", "-hmac", secret],
            input: Array(text.utf8)
        )
        #expect(status == 0, "\(output)")
        let digits = try #require(output.split(separator: " ").last).trimmingCharacters(in: .whitespacesAndNewlines)
        let pairs = stride(from: 0, to: digits.count, by: 2).map { digits.dropFirst($0).prefix(2) }
        return Data(pairs.compactMap { UInt8($0, radix: 16) }).base64EncodedString()
    }
}
