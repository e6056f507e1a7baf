import Foundation
import TestSupport
import Testing

/// What keeps a session from the wrong pages, from lasting for ever, and from an account that cannot carry it.
@Suite(.enabled(if: RealtimeClient.isExpected, "run scripts/setup.sh --tests"))
struct RealtimeGuardTests {
    @Test(arguments: ["ws-error-bytes:48000:1310", "ws-error-after:1:42903", "code:1012"])
    func anotherAccountTakesARoundOver(fault: String) async throws {
        var settings = TestBed.Settings.realtime()
        settings.accounts = [TestBed.PlatformAccount(name: "one"), TestBed.PlatformAccount(name: "two")]
        let bed = try await TestBed(settings)
        try await bed.faults(fault)
        let seen = try await bed.realtime().run(Round.native("k", progress: true, pace: 5))
        seen.expectOneResult("\(seen)")
        let bills = try await bed.bills()
        #expect(bills.billed == 1 && bills.records.map(\.audioSha256) == [seen.audioSha256])
        try await bed.untilSessionsEnd()
        await bed.stop()
    }

    @Test func anAccountsOwnDayIsKept() async throws {
        var settings = TestBed.Settings.realtime()
        settings.accounts = [
            TestBed.PlatformAccount(name: "one", members: "daily: { calls: 1 }"),
            TestBed.PlatformAccount(name: "two", members: "daily: { calls: 1 }"),
        ]
        let bed = try await TestBed(settings)
        for key in ["a", "b"] {
            try await bed.realtime().run(Round.native(key)).expectOneResult(Comment(rawValue: key))
        }
        let refused = try await bed.realtime().run([.send(Round.start("c")), .await("outcome")])
        #expect(refused.errors.map(\.code) == [42_903] && refused.frames("started").isEmpty, "\(refused)")
        #expect(try await bed.billed() == 2)
        await bed.stop()
    }

    @Test func aRoundThatOnlyPingsIsOver() async throws {
        var settings = TestBed.Settings.realtime()
        settings.yugu["realtime"] = #"{ audioTimeout: "2s", credentialInterval: "50ms" }"#
        settings.accounts = [TestBed.PlatformAccount(name: "one", members: "concurrency: 1")]
        let bed = try await TestBed(settings)
        let pings = (0..<60).flatMap { _ in
            [RealtimeClient.Step.sleep(0.1), .send(#"{"cmd":"ping"}"#)]
        }
        async let seen = bed.realtime().run(
            [.send(Round.start("k")), .await("started"), .audio(seconds: 1)] + pings + [.await("error", within: 5)]
        )
        try await until("the round is over") {
            try String(contentsOf: bed.gatewayLog, encoding: .utf8).contains(#""realtime round""#)
        }
        // Its slot is free long before it leaves.
        try await bed.realtime().run(Round.native("l")).expectOneResult()
        let one = try await seen
        #expect(one.errors.map(\.code) == [40_001] && one.results.isEmpty, "\(one)")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func anIdleSessionIsToldWhyItEnds() async throws {
        var settings = TestBed.Settings.realtime()
        settings.yugu["realtime"] = #"{ idleTimeout: "300ms", credentialInterval: "50ms" }"#
        let bed = try await TestBed(settings)
        let seen = try await bed.realtime().run([.await("connected"), .await("close", within: 5)])
        #expect(seen.errors.map(\.code) == [40_001] && seen.closeCode == 1000, "\(seen)")
        await bed.stop()
    }

    @Test func foreignPagesOpenNoSession() async throws {
        var settings = TestBed.Settings.realtime()
        settings.yugu["realtime"] = #"{ origins: ["https://app.example.com"] }"#
        let bed = try await TestBed(settings)
        func session(_ origin: String?) -> RealtimeClient.Session {
            var session = RealtimeClient.Session(Round.native("k"))
            if let origin { session.headers = ["Origin": origin] }
            return session
        }
        let seen = try await bed.realtime().run(sessions: [session("https://evil.example.com")])
        #expect(seen[0].status == 403 && seen[0].body?.contains(#""code":40300"#) == true, "\(seen)")
        for origin in ["https://app.example.com", nil] {
            try await bed.realtime().run(sessions: [session(origin)])[0].expectOneResult()
        }
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }
}
