import Foundation
import TestSupport
import Testing

/// Recordings that cannot be scored are noticed before anyone pays for them.
@Suite struct PrecheckTests {
    private static func settings(_ mode: String) -> TestBed.Settings {
        var settings = TestBed.Settings()
        settings.gateway["limits"] = "{ client: { precheck: \"\(mode)\" } }"
        return settings
    }

    /// Bytes of the header replaced: the sample rate stands at 24, the bits of a sample at 34.
    private static func patched(_ wav: [UInt8], at offset: Int, _ bytes: [UInt8]) -> [UInt8] {
        var wav = wav
        wav.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        return wav
    }

    /// 301 seconds behind a header that does not know how long the recording will be.
    private static func long() -> [UInt8] {
        let second = TestAudio.wav(seconds: 1)
        let samples = second[44...]
        return (0..<301).reduce(into: Self.patched(second, at: 40, [0xFF, 0xFF, 0xFF, 0xFF])) { bytes, index in
            if index > 0 { bytes += samples }
        }
    }

    private static let unsuitable: [(name: String, code: Int, audio: [UInt8])] = [
        ("audio_too_short", 90101, TestAudio.wav(seconds: 0.9999)),
        ("audio_too_long", 90102, long()),
        ("audio_silent", 90103, TestAudio.wav(amplitude: 0)),
        ("audio_format_unsuitable", 90105, patched(TestAudio.wav(), at: 24, [0x40, 0x1F, 0, 0])),
        ("audio_format_unsuitable", 90105, patched(TestAudio.wav(), at: 34, [24, 0])),
    ]

    @Test func rejectedRecordingsAreNeitherClaimedNorSent() async throws {
        let bed = try await TestBed(Self.settings("reject"))
        for (name, code, audio) in Self.unsuitable {
            for (path, form) in [
                ("/api/v1/evaluate", TestForm.evaluation(audio: audio)), ("/sent.eval.cn", .compat(audio: audio)),
            ] {
                let response = try await bed.evaluate(path, key: "k", form: form)
                #expect(response.status == 400 && response.json("code") == "\(code)", "\(name): \(response.text)")
                #expect(response.json("reason") == name && response.json("category") == "AUDIO")
                #expect(response.json("retryable") == "false" && response.json("source") == "gateway")
                #expect(response["idempotency-key"] == "k" && response["speechgate-warnings"] == nil)
                #expect(try await bed.get("/v1/keys/k").status == 404, "\(name): nothing is claimed")
            }
        }
        #expect(try await bed.platformLog().isEmpty)
        let short = try await bed.evaluate(form: .evaluation(audio: TestAudio.wav(seconds: 0.5)))
        #expect(short.json("message")?.contains("0.5 s") == true, "\(short.text)")
        #expect(try await bed.evaluate(key: "k").status == 200, "the key is free")
        let exact = try await bed.evaluate(form: .evaluation(audio: TestAudio.wav(seconds: 1)))
        #expect(exact.status == 200 && exact["speechgate-warnings"] == nil, "\(exact.text)")
        #expect(try await bed.billed() == 2)
        await bed.stop()
    }

    @Test func aQuietRecordingIsScoredAndTheAnswerSaysSoBesideItsBody() async throws {
        let bed = try await TestBed(Self.settings("reject"))
        let form = TestForm.evaluation(audio: TestAudio.wav(amplitude: 210))
        let first = try await bed.evaluate(key: "k", form: form)
        let prefix = #"90104;name="audio_quiet";message="The level is "#
        #expect(first.status == 200 && first["speechgate-warnings"]?.hasPrefix(prefix) == true, "\(first.fields)")
        let replay = try await bed.evaluate(key: "k", form: form)
        #expect(replay.body == first.body && replay["speechgate-warnings"] == nil)
        let recordID = try #require(first.json("recordId"))
        #expect(try await bed.get("/v1/records/\(recordID)").body == first.body)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func warningsAccompanyWhatThePlatformSays() async throws {
        let bed = try await TestBed(Self.settings("warn"))
        for (name, code, audio) in Self.unsuitable where name != "audio_too_long" {
            let response = try await bed.evaluate(form: .evaluation(audio: audio))
            let warnings = response["speechgate-warnings"]
            #expect(warnings?.hasPrefix("\(code);name=\"\(name)\";message=\"") == true, "\(response.fields)")
            // The platform's own answer in either case: no recording was kept from it.
            #expect(response.json("source") == nil && response["speechgate-attempts"] == "1", "\(response.text)")
            #expect(response.status == (code == 90101 ? 400 : 200), "\(name): \(response.text)")
        }
        #expect(try await bed.billed() == 3)
        let both = try await bed.evaluate(form: .evaluation(audio: TestAudio.wav(seconds: 0.5, amplitude: 0)))
        let found = both["speechgate-warnings"] ?? ""
        #expect(found.hasPrefix("90101;") && found.contains(#"", 90103;name="audio_silent""#), "\(found)")
        await bed.stop()
    }

    @Test func eachClientCanHaveItsOwnModeAndErrorsOfOursCarryWarningsToo() async throws {
        var settings = TestBed.Settings()
        settings.gateway["limits"] =
            #"{ client: { precheck: "reject" }, clients: { school: { precheck: "warn", daily: { calls: 1 } } } }"#
        let bed = try await TestBed(settings)
        let quiet = TestForm.evaluation(audio: TestAudio.wav(amplitude: 0))
        let first = try await bed.evaluate(key: "a", form: quiet)
        #expect(first.status == 200 && first["speechgate-warnings"]?.hasPrefix("90103;") == true, "\(first.text)")
        let second = try await bed.evaluate(key: "b", form: quiet)
        #expect(second.status == 429 && second["speechgate-warnings"]?.hasPrefix("90103;") == true, "\(second.fields)")
        #expect(try await bed.evaluate(key: "c")["speechgate-warnings"] == nil, "429, and nothing to warn of")
        let added = try await bed.speechgate("client", "add", "other")
        let key = try #require(JSONText.member("apiKey", of: Array(added.output.utf8)))
        let refused = try await TestHTTPClient.exchange(
            port: bed.port,
            "POST",
            "/api/v1/evaluate",
            fields: [("Authorization", "Bearer \(key)"), quiet.contentType],
            body: quiet.bytes
        )
        #expect(refused.status == 400 && refused.json("code") == "90103", "\(refused.text)")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func samplesWithoutAHeaderAreJudgedWhereTheirRateIsStated() async throws {
        let bed = try await TestBed(Self.settings("reject"))
        func form(_ type: String) -> TestForm {
            TestForm().adding("refText", Array("apple".utf8))
                .adding("audio", Array(TestAudio.wav(amplitude: 0)[44...]), filename: "a.pcm", contentType: type)
        }
        let stated = try await bed.evaluate("/word.eval", form: form("audio/pcm; rate=16000"))
        #expect(stated.json("code") == "90103", "\(stated.text)")
        let unstated = try await bed.evaluate("/word.eval", form: form("audio/pcm"))
        #expect(unstated["speechgate-attempts"] == "1" && unstated["speechgate-warnings"] == nil, "\(unstated.text)")
        await bed.stop()
    }

    @Test func replaysAreNotPrechecked() async throws {
        let bed = try await TestBed()
        let form = TestForm.evaluation(audio: TestAudio.wav(amplitude: 0))
        let first = try await bed.evaluate(key: "k", form: form)
        #expect(first.status == 200 && first["speechgate-warnings"] == nil, "off by default")
        try bed.edit("echo: true", #"echo: true, limits: { client: { precheck: "reject" } }"#)
        #expect(try await bed.speechgate("reload").status == 0)
        let replay = try await bed.evaluate(key: "k", form: form)
        #expect(replay.status == 200 && replay.body == first.body, "\(replay.text)")
        #expect(try await bed.evaluate(key: "other", form: form).json("code") == "90103")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }
}
