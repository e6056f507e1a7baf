import Foundation
import TestSupport
import Testing

/// Daily quotas to the last unit, checked against what the platform billed.
@Suite struct QuotaTests {
    private static func bed(_ limits: String, accounts: [TestBed.PlatformAccount] = []) async throws -> TestBed {
        var settings = TestBed.Settings()
        settings.gateway["limits"] = "{ \(limits) }"
        settings.accounts = accounts
        return try await TestBed(settings)
    }

    @Test(arguments: [
        ("client: { daily: { calls: 7 } }", "", "client_daily_calls"),
        ("client: { userDaily: { calls: 7 } }", "", "user_daily_calls"),
        ("", "daily: { calls: 7 }", "account_daily_calls"),
    ])
    func fiftyAtOnceNeverOvershoot(limits: String, account: String, reason: String) async throws {
        let bed = try await Self.bed(limits, accounts: [.init(name: "main", members: account)])
        let answers = try await LimitTests.rush(50, on: bed, user: "mei")
        #expect(answers.filter { $0.status == 200 }.count == 7, "\(answers.map(\.status))")
        let refused = answers.filter { $0.status == 429 }
        #expect(refused.count == 43)
        #expect(refused.allSatisfy { $0.json("code") == "42903" && $0.json("reason") == reason }, "\(refused[0].text)")
        #expect(refused.allSatisfy { $0["retry-after"].flatMap { Int($0) }.map { (1...86_400).contains($0) } == true })
        #expect(refused[0].json("retryable") == "false" && refused[0].json("category") == "QUOTA")
        #expect(try await bed.billed() == 7)
        await bed.stop()
    }

    @Test func whoamiShowsWhatHoldsAndWhatIsLeft() async throws {
        let bed = try await Self.bed(
            #"client: { rate: "50/10s burst 60", concurrency: 9, daily: { calls: 5, audio: "1h" }, userDaily: { calls: 3 } }"#
        )
        #expect(try await bed.evaluate(key: "a", user: "mei").status == 200)
        for _ in 0..<3 { #expect(try await bed.evaluate(key: "b").status == 200) }
        func limits(_ fields: [(String, String)]) async throws -> [String: Any] {
            let body = try await TestHTTPClient.exchange(port: bed.port, "GET", "/v1/whoami", fields: fields).body
            let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
            return try #require(object?["limits"] as? [String: Any])
        }
        let key = [("Authorization", "Bearer \(bed.apiKey)")]
        let own = try #require(try await limits(key)["client"] as? [String: Any])
        #expect(own["rate"] as? [String: Int] == ["requests": 50, "seconds": 10, "burst": 60])
        #expect(own["concurrency"] as? Int == 9 && own["dailyCalls"] as? Int == 5 && own["dailyCallsLeft"] as? Int == 3)
        #expect(own["dailyAudioSeconds"] as? Double == 3600)
        let left = try #require(own["dailyAudioSecondsLeft"] as? Double)
        #expect(left > 3590 && left < 3600 && (own["dayEndsAt"] as? String)?.hasSuffix("T00:00:00.000Z") == true)
        let user = try #require(try await limits(key + [("SpeechGate-User", "mei")])["user"] as? [String: Any])
        #expect(
            user["dailyCallsLeft"] as? Int == 2 && user["rate"] is NSNull && user["dailyAudioSecondsLeft"] is NSNull
        )
        // How much its client has used is not for a user to know.
        let made = try await bed.speechgate("token", "--client", "school", "--user", "mei")
        let token = try #require(JSONText.member("access_token", of: Array(made.output.utf8)))
        let tokens = try await limits([("Authorization", "Bearer \(token)")])
        #expect(tokens["client"] == nil && (tokens["user"] as? [String: Any])?["dailyCallsLeft"] as? Int == 2)
        await bed.stop()
    }

    @Test func refusalsAreCountedByTheirLimit() async throws {
        let bed = try await Self.bed("client: { daily: { calls: 1 } }")
        for key in ["a", "b", "c"] { _ = try await bed.evaluate(key: key) }
        let metrics = try await TestHTTPClient.exchange(port: bed.operationsPort, "GET", "/metrics").text
        #expect(metrics.contains(#"speechgate_limit_refusals_total{limit="client_daily_calls"} 2"#), "\(metrics)")
        #expect(metrics.contains(#"speechgate_limit_refusals_total{limit="client_rate"} 0"#))
        #expect(metrics.contains(#"speechgate_unwritten_answers{state="waiting"} 0"#))
        await bed.stop()
    }

    @Test func countsSurviveBeingKilledAndReplaysUseNothing() async throws {
        let bed = try await Self.bed("client: { daily: { calls: 3 } }")
        for key in ["a", "b"] { #expect(try await bed.evaluate(key: key).status == 200) }
        for _ in 0..<5 { #expect(try await bed.evaluate(key: "a")["idempotency-replayed"] == "true") }
        try await bed.killAndRestart()
        #expect(try await bed.evaluate(key: "a")["idempotency-replayed"] == "true")
        #expect(try await bed.evaluate(key: "c").status == 200)
        let fourth = try await bed.evaluate(key: "d")
        #expect(fourth.status == 429 && fourth.json("code") == "42903", "\(fourth.text)")
        #expect(fourth.json("message")?.contains("the next day begins at 20") == true)
        // What was answered is still replayed.
        #expect(try await bed.evaluate(key: "c")["idempotency-replayed"] == "true")
        #expect(try await bed.billed() == 3)
        await bed.stop()
    }

    @Test func whatThePlatformDidNotExecuteComesBack() async throws {
        let bed = try await Self.bed("client: { daily: { calls: 1 } }")
        try await bed.faults("status:400:code=40001")
        #expect(try await bed.evaluate(key: "a").status == 400)
        #expect(try await bed.evaluate(key: "b").status == 200)
        #expect(try await bed.evaluate(key: "c").json("code") == "42903")
        try await bed.killAndRestart()
        #expect(try await bed.evaluate(key: "c").json("code") == "42903")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func anUnknownOutcomeStaysReservedIsAskedForFreeAndSettled() async throws {
        var settings = TestBed.Settings()
        settings.gateway["limits"] = "{ client: { daily: { calls: 1 } } }"
        settings.yugu["attempts"] = "1"
        let bed = try await TestBed(settings)
        try await bed.faults("bill-drop")
        #expect(try await bed.evaluate(key: "a").json("reason") == "outcome_unknown")
        #expect(try await bed.evaluate(key: "b").json("code") == "42903")
        // The same key needs no second unit.
        #expect(try await bed.evaluate(key: "a").status == 200)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func theOperatorsWordGivesAUnitBack() async throws {
        var settings = TestBed.Settings()
        settings.gateway["limits"] = "{ client: { daily: { calls: 1 } } }"
        settings.yugu["attempts"] = "1"
        let bed = try await TestBed(settings)
        try await bed.faults("drop")
        #expect(try await bed.evaluate(key: "a").json("reason") == "outcome_unknown")
        #expect(try await bed.evaluate(key: "b").json("code") == "42903")
        let settled = try await bed.speechgate("claims", "settle", "a", "--client", "school", "--not-billed")
        #expect(settled.status == 0, "\(settled.output)")
        #expect(try await bed.evaluate(key: "b").status == 200)
        #expect(try await bed.evaluate(key: "c").json("code") == "42903")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func audioIsCountedByItsLength() async throws {
        let bed = try await Self.bed(#"client: { daily: { audio: "5s" } }"#)
        let two = TestForm.evaluation(audio: TestAudio.wav(seconds: 2))
        #expect(try await bed.evaluate(key: "a", form: two).status == 200)
        #expect(try await bed.evaluate(key: "b", form: two).status == 200)
        let third = try await bed.evaluate(key: "c", form: two)
        #expect(third.status == 429 && third.json("reason") == "client_daily_audio", "\(third.text)")
        #expect(third.json("message")?.contains("(1 s are left)") == true, "\(third.text)")
        let one = TestForm.evaluation(audio: TestAudio.wav(seconds: 1))
        #expect(try await bed.evaluate(key: "d", form: one).status == 200)
        #expect(try await bed.billed() == 3)
        await bed.stop()
    }

    @Test func aHeaderThatLiesDoesNotMakeARecordingFree() async throws {
        let bed = try await Self.bed(#"client: { daily: { audio: "1s" } }"#)
        var audio = TestAudio.wav(seconds: 2)
        // The sample rate, 4 GHz.
        audio.replaceSubrange(24..<28, with: [0, 0x28, 0x6B, 0xEE])
        let response = try await bed.evaluate(key: "a", form: .evaluation(audio: audio))
        #expect(response.status == 429 && response.json("reason") == "client_daily_audio", "\(response.text)")
        #expect(try await bed.platformLog().isEmpty)
        #expect(try await bed.evaluate(key: "b", form: .evaluation(audio: TestAudio.wav(seconds: 1))).status == 200)
        await bed.stop()
    }

    @Test func aNewDayBeginsWhenItsTimeComes() async throws {
        // On a machine that is too busy the day may be over before anything was asked.
        for seconds in [3, 10, 30] as [Int64] {
            let end = Int64(Date().timeIntervalSince1970 * 1000) + seconds * 1000
            let offset = (86_400_000 - end % 86_400_000) % 86_400_000
            let bed = try await Self.bed(#"dayOffset: "\#(offset)ms", client: { daily: { calls: 1 } }"#)
            let first = try await bed.evaluate(key: "a")
            let second = try await bed.evaluate(key: "b")
            guard Int64(Date().timeIntervalSince1970 * 1000) < end else {
                await bed.stop()
                continue
            }
            #expect(first.status == 200, "\(first.text)")
            #expect(second.status == 429)
            try await until("the new day has begun") { try await bed.evaluate(key: "b").status == 200 }
            #expect(try await bed.evaluate(key: "c").status == 429)
            #expect(try await bed.billed() == 2)
            await bed.stop()
            return
        }
        Issue.record("two calls take more than half a minute")
    }
}
