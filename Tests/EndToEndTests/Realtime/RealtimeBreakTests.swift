import Foundation
import TestSupport
import Testing

/// The platform's connection breaks in every state, and the app notices nothing but a pause: one result, one bill.
@Suite(.enabled(if: RealtimeClient.isExpected, "run scripts/setup.sh --tests"))
struct RealtimeBreakTests {
    /// Breaks that the contract answers with a reconnect, each in another state of the session.
    static let survivable = [
        "ws-refuse", "drop", "ws-kill-open", "ws-close-open:1013", "ws-kill-after:1",
        "ws-close-after:1:1001",
        "ws-kill-bytes:640", "ws-kill-bytes:48000", "ws-close-bytes:48000",
        "ws-error-bytes:48000:42901",
        "ws-kill-end", "ws-close-end:1012", "ws-error:50200", "ws-error:42901", "ws-error:40901",
        "bill-drop",
        "ws-close-billed:1011", "ws-error-billed:50000",
    ]

    @Test func aBreakInAnyStateGoesUnnoticed() async throws {
        let bed = try await TestBed(.realtime())
        for (index, fault) in Self.survivable.enumerated() {
            try await bed.faults(fault)
            let seen = try await bed.realtime().run(
                Round.native("k\(index)", seed: index, progress: true, pace: 20)
            )
            seen.expectOneResult("\(fault): \(seen)")
            #expect(seen.frames("started").count == 1 && seen.frames("connected").count == 1, "\(fault)")
            #expect(
                zip(seen.progress, seen.progress.dropFirst()).allSatisfy { $0.readUnits <= $1.readUnits },
                "\(fault)"
            )
            let bills = try await bed.bills()
            #expect(bills.billed == index + 1, "\(fault)")
            #expect(bills.records.last?.audioSha256 == seen.audioSha256, "\(fault)")
            #expect(bills.sessions.opened >= 1)
        }
        await bed.stop()
    }

    /// Causes that the contract answers without a reconnect.
    static let final = [
        "ws-close-end:1000", "ws-close-bytes:48000:1008", "ws-close-bytes:48000:4001",
        "ws-close-after:1:1002",
        "ws-close-bytes:640:1003", "ws-close-end:1007", "ws-close-end:1009", "ws-close-end:1010",
        "ws-error:40001",
        "ws-error:none", "ws-error-bytes:640:42903",
    ]

    @Test func whatCannotBeRepairedIsOneErrorAndCostsNothing() async throws {
        let bed = try await TestBed(.realtime())
        for (index, fault) in Self.final.enumerated() {
            try await bed.faults(fault)
            // Behind the end, an error may be of the audio and be followed by a result.
            let hasEnd = !fault.hasPrefix("ws-error-bytes")
            let seen = try await bed.realtime().run(Round.native("k\(index)", pace: 20, hasEnd: hasEnd))
            #expect(seen.results.isEmpty && seen.errors.count == 1, "\(fault): \(seen)")
            #expect(try await bed.billed() == index, "\(fault)")
            // The key is free.
            try await bed.realtime().run(Round.native("k\(index)")).expectOneResult("\(fault)")
            #expect(try await bed.billed() == index + 1, "\(fault)")
        }
        await bed.stop()
    }

    @Test func aCompatSessionSurvivesToo() async throws {
        let bed = try await TestBed(.realtime())
        try await bed.faults("ws-kill-bytes:48000", "bill-drop")
        let seen = try await bed.realtime("/sent.eval.cn").run(
            Round.compat("k", progress: true, pace: 20)
        )
        seen.expectOneResult()
        // Each unit is told once.
        #expect(seen.progress.flatMap { $0.result?.words ?? [] }.count <= 6)
        let bills = try await bed.bills()
        #expect(bills.billed == 1 && bills.records.map(\.audioSha256) == [seen.audioSha256])
        await bed.stop()
    }

    @Test func eachOfTwoRoundsMayBreak() async throws {
        let bed = try await TestBed(.realtime())
        // The rounds are 96,000 bytes each: one break in the first, and at least one in the second.
        try await bed.faults("ws-kill-bytes:48000", "ws-kill-bytes:128000", "ws-kill-bytes:32000")
        let seen = try await bed.realtime().run(
            Round.native("a", seed: 1, pace: 10) + Round.native("b", seed: 2, pace: 10)
        )
        #expect(seen.results.count == 2 && seen.errors.isEmpty, "\(seen)")
        let bills = try await bed.bills()
        #expect(bills.billed == 2 && bills.records.allSatisfy { $0.audioBytes == 96_000 })
        await bed.stop()
    }

    /// The platform is away for longer than a few attempts, and comes back before the last one.
    @Test func anOutageIsSatOut() async throws {
        let bed = try await TestBed(.realtime())
        try await bed.faults(
            "ws-kill-bytes:32000",
            "drop",
            "ws-refuse",
            "drop",
            "html:502",
            "drop",
            "drop"
        )
        let seen = try await bed.realtime().run(Round.native("k", pace: 5))
        seen.expectOneResult()
        let bills = try await bed.bills()
        #expect(bills.billed == 1 && bills.records.map(\.audioSha256) == [seen.audioSha256])
        await bed.stop()
    }

    /// The platform's machine stands still, so that nothing is refused and nothing answered.
    @Test func aStandstillIsSatOut() async throws {
        let bed = try await TestBed(.realtime(connectTimeout: "500ms"))
        async let seen = bed.realtime().run(Round.native("k", progress: true, pace: 1))
        try await Task.sleep(for: .seconds(1.5))
        bed.simulator.signal(SIGSTOP)
        try await Task.sleep(for: .seconds(2))
        bed.simulator.signal(SIGCONT)
        let one = try await seen
        one.expectOneResult("\(one)")
        let bills = try await bed.bills()
        #expect(bills.billed == 1 && bills.records.map(\.audioSha256) == [one.audioSha256])
        await bed.stop()
    }

    @Test func anOutageThatDoesNotEndIsOneError() async throws {
        let bed = try await TestBed(.realtime())
        bed.simulator.signal(SIGKILL)
        await bed.simulator.wait()
        let seen = try await bed.realtime().run(Round.native("k"))
        #expect(seen.results.isEmpty && seen.errors.map(\.code) == [90_006], "\(seen)")
        await bed.stop()
    }

    @Test func otherPoliciesKeepNoAudio() async throws {
        let bed = try await TestBed(.realtime())
        try await bed.faults("ws-kill-bytes:32000")
        let dropped = try await bed.realtime().run(Round.native("drop", pace: 1), query: ["bufferPolicy": "drop"])
        dropped.expectOneResult("\(dropped)")
        // Only what was said after the break is scored.
        let bill = try #require(try await bed.bills().records.first)
        #expect(bill.audioBytes > 0 && bill.audioBytes <= dropped.audioBytes - 32_000)
        try await bed.faults("ws-kill-bytes:32000")
        let failed = try await bed.realtime().run(Round.native("fail", pace: 2), query: ["bufferPolicy": "fail"])
        #expect(failed.results.isEmpty && failed.errors.count == 1, "\(failed)")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func twoHundredSessionsWithRandomBreaks() async throws {
        // Two hundred at once on two cores are slow: nothing may be lost by a time that is too short.
        var settings = TestBed.Settings.realtime(connectTimeout: "20s", pongTimeout: "20s")
        settings.accounts = [TestBed.PlatformAccount(name: "main", members: "concurrency: 300")]
        // Every connection of the first 260 breaks: a breaker would keep new rounds back.
        settings.yugu["breaker"] = "{ minimumCalls: 10000 }"
        let bed = try await TestBed(settings)
        var random = SeededGenerator(seed: 200)
        let faults = (0..<260).map { index in
            let bytes = Int.random(in: 1...90_000, using: &random)
            let breaks = [
                "ws-refuse", "drop", "ws-kill-open", "ws-kill-after:\(Int.random(in: 1...140, using: &random))",
                "ws-kill-bytes:\(bytes)", "ws-close-bytes:\(bytes)", "ws-error-bytes:\(bytes):42901",
                "ws-kill-end", "ws-error:50200", "slow:300", "ws-delay-result:200", "ws-delay-started:100",
            ]
            // What ends a session comes before what bills it without an answer: the other way round a session would
            // rightly be told an error, and be billed.
            let ends = index < 130 ? ["ws-close-end:1008", "ws-error:40001"] : ["bill-drop", "ws-close-billed:1001"]
            return (breaks + ends).randomElement(using: &random) ?? "drop"
        }
        for start in stride(from: 0, to: faults.count, by: 50) {
            try await bed.faults(Array(faults[start..<min(start + 50, faults.count)]))
        }
        let sessions = (0..<200).map { index in
            // Every fifth is a second one with the key of the one before.
            let number = index % 5 == 4 ? index - 1 : index
            var session = RealtimeClient.Session(
                Round.native("k\(number)", seed: number % 7, progress: number % 3 == 0, pace: 1.5)
            )
            session.after = Double(index) / 100
            return session
        }
        let seen = try await bed.realtime().run(sessions: sessions)
        var finished: Set<String> = []
        for (index, one) in seen.enumerated() {
            #expect(one.results.count + one.errors.count == 1, "session \(index): \(one)")
            if let recordID = one.results.first?.recordId { finished.insert(recordID) }
        }
        try await bed.untilSessionsEnd()
        let bills = try await bed.bills()
        #expect(bills.billed == finished.count)
        #expect(Set(bills.records.map(\.recordId)) == finished)
        #expect(bills.byKey.values.allSatisfy { $0 == 1 })
        let digests = Set(seen.map(\.audioSha256))
        #expect(
            bills.records.allSatisfy { digests.contains($0.audioSha256) },
            "what was scored is what was said"
        )
        #expect(seen.count { $0.results.count == 1 } > 100)
        await bed.stop()
    }
}
