import Foundation
import TestSupport
import Testing

/// Whatever the platform does, a call is billed at most once and its result is not lost.
@Suite struct PlatformFaultTests {
    private static let twoSeconds = TestBed.Settings(
        yugu: [
            "attemptTimeout": #""500ms""#, "totalTimeout": #""2s""#,
            "retry": #"{ initialDelay: "20ms", maximumDelay: "100ms" }"#,
        ]
    )

    private static func nonces(_ log: [[String: Any]]) -> Set<String> {
        Set(log.compactMap { $0["nonce"] as? String })
    }

    @Test func twoServerErrorsThenSuccess() async throws {
        let bed = try await TestBed()
        try await bed.faults("status:500", "status:500")
        let response = try await bed.evaluate(key: "k")
        #expect(response.status == 200 && response["speechgate-attempts"] == "3", "\(response.text)")
        #expect(try await bed.billed() == 1)
        let log = try await bed.platformLog()
        #expect(log.count == 3 && Self.nonces(log).count == 3)
        #expect(Set(log.compactMap { $0["key"] as? String }).count == 1)
        await bed.stop()
    }

    @Test func aRetryAfterIsObeyed() async throws {
        let bed = try await TestBed()
        try await bed.faults("status:429:retryAfter=1")
        let start = ContinuousClock.now
        let response = try await bed.evaluate(key: "k")
        #expect(response.status == 200 && response["speechgate-attempts"] == "2")
        // Not a speed test: the platform asked for this second.
        #expect(ContinuousClock.now - start >= .milliseconds(950))
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func aRefusalPassesUnchangedAndTheKeyIsFree() async throws {
        let bed = try await TestBed()
        try await bed.faults("status:429:code=42903:message=daily%20limit")
        let refused = try await bed.evaluate(key: "k")
        #expect(refused.status == 429 && refused.json("code") == "42903" && refused.json("message") == "daily limit")
        #expect(refused.json("source") == nil, "the platform's own body")
        #expect(try await bed.evaluate(key: "k").status == 200)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func aConnectionDroppedAfterTheBillGetsTheReplay() async throws {
        let bed = try await TestBed()
        try await bed.faults("bill-drop")
        let response = try await bed.evaluate(key: "k")
        #expect(response.status == 200 && response["speechgate-attempts"] == "2", "\(response.text)")
        #expect(response["idempotency-replayed"] == nil, "the owner's answer is no replay of ours")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func theSecondRequestOfAKeptConnectionIsNeverRepeatedSilently() async throws {
        let bed = try await TestBed()
        #expect(try await bed.evaluate(key: "first").status == 200)
        try await bed.faults("bill-drop")
        let response = try await bed.evaluate(key: "second")
        #expect(response.status == 200 && response["speechgate-attempts"] == "2", "\(response.text)")
        #expect(try await bed.billed() == 2, "one for each key")
        let second = try await bed.platformLog().suffix(2)
        #expect(Self.nonces(Array(second)).count == 2)
        #expect(Set(second.compactMap { $0["key"] as? String }).count == 1)
        await bed.stop()
    }

    @Test(arguments: [
        "status:500:raw=html", "status:503:detail=busy", "length:+40", "garbage", "bill-drop", "drop", "hang",
    ])
    func withoutAnAnswerToAnyAttemptTheSameKeyGetsTheResultLater(fault: String) async throws {
        let bed = try await TestBed(Self.twoSeconds)
        try await bed.faults(fault, fault, fault)
        let first = try await bed.evaluate(key: "k")
        #expect(first.status == 502 && first.json("code") == "50200", "\(first.text)")
        #expect(first.json("reason") == "outcome_unknown" && first.json("retryable") == "true")
        #expect(first["retry-after"] == "2")
        #expect(try await bed.get("/v1/keys/k").json("state") == "unknown")
        _ = try await TestHTTPClient.exchange(
            port: bed.simulatorPort,
            "POST",
            "/__sim/faults",
            body: Array(#"{"faults":[]}"#.utf8)
        )
        var second = try await bed.evaluate(key: "k")
        // A queued fault that the time limit left over hits the next attempts.
        if second.status != 200 { second = try await bed.evaluate(key: "k") }
        #expect(second.status == 200, "\(second.text)")
        #expect(try await bed.billed() == 1)
        #expect(try await bed.get("/v1/keys/k").json("state") == "answered")
        await bed.stop()
    }

    @Test func aHangingPlatformIsGivenUpAndAskedAgain() async throws {
        let bed = try await TestBed(Self.twoSeconds)
        try await bed.faults("hang")
        let response = try await bed.evaluate(key: "k")
        #expect(response.status == 200, "\(response.text)")
        #expect(response["speechgate-attempts"].flatMap { Int($0) }.map { $0 >= 2 } == true)
        #expect(try await bed.platformLog().first?["fault"] as? String == "hang")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func aPlatformThatIsDownLeavesTheKeyUsable() async throws {
        let bed = try await TestBed(Self.twoSeconds)
        bed.simulator.signal(SIGKILL)
        await bed.simulator.wait()
        let response = try await bed.evaluate(key: "k")
        #expect(response.status == 502 && response.json("code") == "50200", "\(response.text)")
        #expect(response.json("reason") == nil, "nothing was executed, so nothing is unknown")
        #expect(try await bed.get("/v1/keys/k").status == 404)
        await bed.stop()
    }

    @Test func aRotatedSecretIsOurFaultNotTheApps() async throws {
        let bed = try await TestBed()
        try await bed.faults("rotate-secret:another-secret")
        let response = try await bed.evaluate(key: "k")
        #expect(response.status == 502 && response.json("code") == "50200", "\(response.text)")
        #expect(response.json("source") == "gateway")
        let ready = try await TestHTTPClient.exchange(port: bed.operationsPort, "GET", "/readyz")
        #expect(ready.status == 503 && ready.text.contains("account"), "\(ready.text)")
        let before = try await bed.platformLog().count
        #expect(try await bed.evaluate(key: "k2").status == 502)
        #expect(try await bed.platformLog().count == before, "the account is not asked again at once")
        #expect(bed.gateway.errorText.contains("refuses the account's credentials"))
        #expect(try await bed.billed() == 0)
        await bed.stop()
    }

    @Test(arguments: ["clock:+3600", "clock:-3600"])
    func aClockThatIsOneHourOffIsLearned(fault: String) async throws {
        let bed = try await TestBed()
        try await bed.faults(fault)
        let response = try await bed.evaluate(key: "k")
        #expect(response.status == 200, "\(response.text)")
        #expect(try await bed.evaluate(key: "k2")["speechgate-attempts"] == "1", "learned once")
        #expect(try await bed.billed() == 2)
        await bed.stop()
    }

    @Test func aSlowAnswerIsReadToItsEnd() async throws {
        let bed = try await TestBed()
        try await bed.faults("trickle:1")
        let first = try await bed.evaluate(key: "k")
        #expect(first.status == 200, "\(first.text)")
        #expect(try await bed.evaluate(key: "k").body == first.body)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }
}
