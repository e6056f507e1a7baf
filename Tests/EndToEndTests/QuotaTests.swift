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
        // The day ends three seconds from now.
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let offset = 86_400_000 - (now + 3_000) % 86_400_000
        let bed = try await Self.bed(#"dayOffset: "\#(offset % 86_400_000)ms", client: { daily: { calls: 1 } }"#)
        let first = try await bed.evaluate(key: "a")
        #expect(first.status == 200, "\(first.text)")
        var second = try await bed.evaluate(key: "b")
        #expect(second.status == 429)
        for _ in 0..<50 where second.status == 429 {
            try await Task.sleep(for: .milliseconds(100))
            second = try await bed.evaluate(key: "b")
        }
        #expect(second.status == 200)
        #expect(try await bed.evaluate(key: "c").status == 429)
        #expect(try await bed.billed() == 2)
        await bed.stop()
    }
}
