import Foundation
import TestSupport
import Testing

/// What sessions keep to, and what is kept of them.
@Suite(.enabled(if: RealtimeClient.isExpected, "run scripts/setup.sh --tests"))
struct RealtimeLimitTests {

    @Test func audioThatIsNoLongerKeptEndsWithTheNextBreak() async throws {
        var settings = TestBed.Settings.realtime()
        settings.yugu["realtime"] = #"{ audioBytes: "64KiB", reconnect: { initialDelay: "20ms" } }"#
        let bed = try await TestBed(settings)
        // Without a break a longer round is scored as ever.
        try await bed.realtime().run([
            .send(Round.start("a", progress: true)), .await("started"), .audio(seconds: 3, to: 32_000),
            // Progress shows that the platform listens: what it has not heard is kept, and may be too much.
            .await("progress"), .audio(seconds: 3, from: 32_000), Round.end, .await("outcome"),
        ]).expectOneResult()
        try await bed.faults("ws-kill-bytes:90000")
        let seen = try await bed.realtime().run(Round.native("b", pace: 5))
        #expect(seen.results.isEmpty && seen.errors.map(\.code) == [90_008], "\(seen)")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func whatCannotBeScoredIsRefusedBeforeItsEnd() async throws {
        var settings = TestBed.Settings.realtime()
        settings.gateway["limits"] = #"{ client: { precheck: "reject" } }"#
        let bed = try await TestBed(settings)
        let silent = try await bed.realtime().run([
            .send(Round.start("k")), .await("started"), .binary(64_000), Round.end, .await("outcome"),
        ])
        #expect(silent.results.isEmpty && silent.errors.map(\.code) == [90_103], "\(silent)")
        let short = try await bed.realtime().run([
            .send(Round.start("l")), .await("started"), .audio(seconds: 0.5), Round.end, .await("outcome"),
        ])
        #expect(short.results.isEmpty && short.errors.map(\.code) == [90_101], "\(short)")
        #expect(try await bed.billed() == 0)
        try await bed.realtime().run(Round.native("k")).expectOneResult()
        await bed.stop()
    }

    @Test func aTokenWithoutCallsStartsNoRoundAndReplaysTheOnesItHad() async throws {
        let bed = try await TestBed()
        let added = try await bed.speechgate("client", "add", "backend", "--scopes", "all")
        let key = try #require(JSONText.member("apiKey", of: Array(added.output.utf8)))
        let minted = try await TestHTTPClient.exchange(
            port: bed.port,
            "POST",
            "/v1/tokens",
            fields: [("Authorization", "Bearer \(key)"), ("Content-Type", "application/json")],
            body: Array(#"{"userId":"mei","maximumCalls":1}"#.utf8)
        )
        let token = try #require(minted.json("access_token"))
        let phone = RealtimeClient(port: bed.port, path: "/api/v1/ws/evaluate", .token(token))
        try await phone.run(Round.native("a")).expectOneResult()
        let refused = try await phone.run([.send(Round.start("b")), .await("outcome")])
        #expect(refused.frames("started").isEmpty && refused.errors.map(\.code) == [40_300], "\(refused)")
        #expect(try await phone.run(Round.native("a")).results.map(\.replayed) == [true])
        let bills = try await bed.bills()
        #expect(bills.sessions.opened == 1 && bills.billed == 1)
        await bed.stop()
    }

    @Test func sessionsCountInTheUsage() async throws {
        let bed = try await TestBed()
        for _ in 0..<2 { try await bed.realtime().run(Round.native("k")).expectOneResult() }
        let usage = try await bed.speechgate("usage", "--group-by", "client").output
        #expect(JSONText.member("billed", of: Array(usage.utf8)) == "1", "\(usage)")
        #expect(JSONText.member("replayed", of: Array(usage.utf8)) == "1", "\(usage)")
        await bed.stop()
    }

    @Test func withoutAKeyOneIsAnnounced() async throws {
        let bed = try await TestBed()
        let first = try await bed.realtime().run(Round.native())
        let key = try #require(first.frames("started").first?.idempotencyKey)
        let query = try await bed.realtime().run(Round.native(), query: ["idempotencyKey": key])
        #expect(query.results.map(\.replayed) == [true])
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }
}
