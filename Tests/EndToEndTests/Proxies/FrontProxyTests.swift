import Foundation
import TestSupport
import Testing

/// The sample configurations for nginx and Caddy, run by the real ones in front of the gateway, asked by curl and by a
/// WebSocket client that nobody here wrote.
@Suite struct FrontProxyTests {
    private static let config =
        #"config={"coreType":"sentence","referenceText":"hello","language":"en-US"};type=application/json"#

    @Test(arguments: FrontProxy.Kind.expected)
    func itServesAndTellsWhoAsks(kind: FrontProxy.Kind) async throws {
        let proxy = try await FrontProxy(kind)
        let evaluation = try await proxy.curl(
            [
                "-H", "Authorization: Bearer \(proxy.bed.apiKey)", "-H", "Idempotency-Key: a", "-F", Self.config,
                "-F", "audio=@\(try proxy.file("speech.wav", TestAudio.wav()));type=audio/wav",
            ],
            "/api/v1/evaluate"
        )
        #expect(evaluation.hasSuffix("\n200"), "\(evaluation)")
        #expect(try await proxy.bed.billed() == 1)

        // A key for one address: who comes from it gets in, who only says so does not.
        let added = try await proxy.bed.speechgate("client", "add", "near", "--addresses", "127.0.0.2")
        let near = "Authorization: Bearer " + (JSONText.member("apiKey", of: Array(added.output.utf8)) ?? "")
        let own = try await proxy.curl(["--interface", "127.0.0.2", "-H", near], "/v1/whoami")
        #expect(own.hasSuffix("\n200"), "\(own)")
        for claim in ["X-Forwarded-For: 127.0.0.2", "Forwarded: for=127.0.0.2"] {
            let claimed = try await proxy.curl(["--interface", "127.0.0.3", "-H", near, "-H", claim], "/v1/whoami")
            #expect(claimed.hasSuffix("\n403"), "\(claim): \(claimed)")
        }
        // What the proxy removes does not make its own word doubtful.
        let both = try await proxy.curl(
            ["--interface", "127.0.0.2", "-H", near, "-H", "Forwarded: for=127.0.0.9"],
            "/v1/whoami"
        )
        #expect(both.hasSuffix("\n200"), "\(both)")
        await proxy.stop()
    }

    @Test(
        .enabled(if: RealtimeClient.isExpected, "run scripts/setup.sh --tests"),
        arguments: FrontProxy.Kind.expected
    )
    func realtimeSessionsPassThrough(kind: FrontProxy.Kind) async throws {
        let proxy = try await FrontProxy(kind)
        // One as fast as it goes, and one that goes on when progress has come: that waits for nothing.
        let seen = try await proxy.realtime().run(
            sessions: [
                RealtimeClient.Session(Round.native("fast")),
                RealtimeClient.Session([
                    .send(Round.start("spoken", progress: true)), .await("started"),
                    .audio(seconds: 3, seed: 2, to: 48_000), .await("progress"),
                    .audio(seconds: 3, seed: 2, from: 48_000), Round.end, .await("outcome"),
                ]),
            ]
        )
        for session in seen { session.expectOneResult("\(session)") }
        #expect(try await proxy.bed.billed() == 2)

        // The token of an app stands in the query, and in no log.
        let minted = try await proxy.bed.speechgate("token", "--client", "school", "--user", "mei")
        let token = try #require(JSONText.member("access_token", of: Array(minted.output.utf8)))
        try await proxy.realtime(.token(token)).run(Round.native("token")).expectOneResult()
        let wrong = try await proxy.realtime(.token(token + "x")).run(Round.native("wrong"))
        #expect(wrong.status == 401, "\(wrong)")
        await proxy.stop(keepingFiles: true)
        let logs = proxy.logs()
        #expect(logs.contains("/api/v1/ws/evaluate") && !logs.contains(token), "\(logs)")
        proxy.bed.removeFiles()
    }

    @Test(arguments: FrontProxy.Kind.expected)
    func aLargeRecordingArrivesWhole(kind: FrontProxy.Kind) async throws {
        let proxy = try await FrontProxy(kind)
        let recording = Self.longRecording()
        let file = try proxy.file("long.wav", recording)
        let sum = try await ChildProcess.run(URL(fileURLWithPath: "/usr/bin/sha256sum"), [file])
        let evaluation = try await proxy.curl(
            [
                "-H", "Authorization: Bearer \(proxy.bed.apiKey)", "-F", Self.config, "-F",
                "audio=@\(file);type=audio/wav",
            ],
            "/api/v1/evaluate"
        )
        #expect(evaluation.hasSuffix("\n200"), "\(evaluation)")
        let record = try #require(try await proxy.bed.bills().records.first)
        #expect(record.audioBytes == recording.count && sum.output.hasPrefix(record.audioSha256), "\(record)")
        await proxy.stop()
    }

    /// A WAV file of 40 MB: the same second of a tone again and again.
    private static func longRecording() -> [UInt8] {
        let second = TestAudio.wav(seconds: 1)
        let count = 40_000_000 / (second.count - 44)
        let bytes = UInt32(count * (second.count - 44))
        func number(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
        var file = Array(second[..<4]) + number(36 + bytes) + second[8..<40] + number(bytes)
        for _ in 0..<count { file += second[44...] }
        return file
    }

    @Test(arguments: FrontProxy.Kind.expected)
    func whatIsTooLargeIsRefusedInTheGatewaysWords(kind: FrontProxy.Kind) async throws {
        let proxy = try await FrontProxy(kind)
        let large = try proxy.file("large.wav", [UInt8](repeating: 0, count: 52 << 20))
        let refused = try await proxy.curl(
            ["-H", "Authorization: Bearer \(proxy.bed.apiKey)", "-F", "config={}", "-F", "audio=@\(large)"],
            "/api/v1/evaluate"
        )
        #expect(refused.hasSuffix("\n413") && refused.contains(#""code":"#), "\(refused)")
        #expect(try await proxy.bed.billed() == 0)
        await proxy.stop()
    }

    @Test(arguments: FrontProxy.Kind.expected)
    func noQueryStandsInItsLogs(kind: FrontProxy.Kind) async throws {
        let proxy = try await FrontProxy(kind)
        _ = try await proxy.curl([], "/v1/records?token=the-token-of-an-app")
        // With the gateway gone the proxy has something to complain about.
        proxy.bed.gateway.signal(SIGTERM)
        await proxy.bed.gateway.wait()
        let failed = try await proxy.curl([], "/v1/records?token=the-token-of-an-app")
        #expect(failed.hasSuffix("\n502"))
        await proxy.stop(keepingFiles: true)
        let logs = proxy.logs()
        #expect(logs.contains("/v1/records") && logs.contains("401") && logs.contains("502"), "\(logs)")
        #expect(!logs.contains("the-token-of-an-app"), "\(logs)")
        proxy.bed.removeFiles()
    }
}
