import Foundation
import TestSupport
import Testing

/// Realtime sessions through the gateway, driven by a client that nobody here wrote: one result or one error each, never
/// both, never none, and one bill for each finished key.
@Suite(.enabled(if: RealtimeClient.isExpected, "run scripts/setup.sh --tests"))
struct RealtimeTests {
    private static let end = #"{"cmd":"end"}"#

    private static func start(_ key: String? = nil) -> RealtimeClient.Step {
        let member = key.map { #","idempotencyKey":"\#($0)""# } ?? ""
        return .send(
            #"{"cmd":"start","coreType":"sentence","referenceText":"今天天气很好","language":"zh-CN","#
                + #""realtimeFeedback":true\#(member)}"#
        )
    }

    private static func round(
        _ key: String? = nil,
        seed: Int = 1,
        seconds: Double = 2.4,
        hasEnd: Bool = true
    ) -> [RealtimeClient.Step] {
        [.await("connected"), Self.start(key), .await("started"), .audio(seconds: seconds, seed: seed)]
            + (hasEnd ? [.send(Self.end)] : []) + [.await("outcome")]
    }

    private static func settings(_ realtime: String = "") -> TestBed.Settings {
        var settings = TestBed.Settings()
        settings.yugu["realtime"] =
            #"{ reconnect: { initialDelay: "10ms", maximumDelay: "100ms" }, credentialInterval: "100ms", \#(realtime) }"#
        return settings
    }

    private static func client(_ bed: TestBed, _ path: String = "/api/v1/ws/evaluate") -> RealtimeClient {
        RealtimeClient(port: bed.port, path: path, .bearer(bed.apiKey))
    }

    /// Waits until so many sessions are open.
    private static func waitForSessions(_ count: Int, _ bed: TestBed) async throws {
        try await until("there are \(count) sessions") {
            let metrics = try await TestHTTPClient.exchange(port: bed.operationsPort, "GET", "/metrics")
            return metrics.text.contains("\nspeechgate_realtime_sessions \(count)\n")
        }
    }

    /// Waits until the platform has billed so many rounds.
    private static func waitForBills(_ count: Int, _ bed: TestBed) async throws {
        try await until("\(count) are billed") { try await bed.billed() >= count }
    }

    @Test func aSessionIsScoredBilledStoredAndReplayed() async throws {
        var settings = Self.settings()
        settings.clientScopes = "all"
        let bed = try await TestBed(settings)
        let seen = try await Self.client(bed).run(Self.round("k"))
        #expect(seen.failure == nil && seen.results.count == 1 && seen.errors.isEmpty)
        let result = try #require(seen.results.first)
        #expect(result.replayed == nil && seen.progress.last?.readUnits == 6)
        let record = try await bed.get("/v1/records/\(result.recordId ?? "")")
        #expect(record.status == 200 && record.json("recordId") == result.recordId)
        let again = try await Self.client(bed).run(Self.round("k"))
        #expect(again.results.map(\.replayed) == [true] && again.progress.isEmpty)
        #expect(again.results.first?.recordId == result.recordId)
        let other = try await Self.client(bed).run(Self.round("k", seed: 2))
        #expect(other.errors.map(\.code) == [40903] && other.results.isEmpty)
        #expect(try await bed.billed() == 1)
        #expect(try await bed.get("/v1/usage?groupBy=operation").text.contains("realtime"))
        await bed.stop()
    }

    @Test func aCompatSessionSpeaksItsOwnLanguage() async throws {
        let bed = try await TestBed(Self.settings())
        let seen = try await Self.client(bed, "/sent.eval.cn").run([
            .await("connected"), .send(#"{"refText":"今天天气很好","realtime_feedback":true}"#), .await("started"),
            .audio(seconds: 1, seed: 9), .send(#"{"refText":"今天天气很好","realtime_feedback":true}"#),
            .await("started"), .audio(seconds: 3, seed: 3, asText: true), .send(#"{"end":true}"#), .await("outcome"),
        ])
        #expect(seen.frames[0].coreType == "sent.eval.cn" && seen.frames("started").count == 2)
        #expect(Set(seen.frames("started").map(\.idempotencyKey)).count == 1)
        let result = try #require(seen.results.first)
        #expect(result.event == nil && result.eof == 1 && seen.errors.isEmpty)
        #expect(seen.progress.last?.readUnits == 6)
        // Whatever connection they came over, each unit's word came once.
        #expect(seen.progress.reduce(0) { $0 + ($1.result?.words?.count ?? 0) } >= 6)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test(arguments: [
        ["ws-refuse"], ["ws-kill-open"], ["ws-close-open:1011"], ["ws-kill-after:1"], ["ws-kill-after:2"],
        ["ws-kill-bytes:40000"], ["ws-close-bytes:40000:1001"],
        ["ws-kill-bytes:1000", "ws-kill-bytes:60000", "ws-refuse"],
        ["ws-kill-end"], ["ws-kill-billed"], ["ws-kill-billed", "ws-kill-billed", "ws-kill-end"], ["ws-error:50200"],
        ["ws-error-bytes:20000:42901"], ["ws-close-end:1012"], ["ws-delay-started:300", "ws-kill-bytes:20000"],
        ["ws-progress:back"],
    ])
    func aBreakIsNotNoticed(faults: [String]) async throws {
        let bed = try await TestBed(Self.settings())
        try await bed.faults(faults)
        let seen = try await Self.client(bed).run(Self.round("k"))
        #expect(seen.failure == nil && seen.results.count == 1 && seen.errors.isEmpty, "\(seen.kinds)")
        #expect(seen.results.first?.replayed == nil)
        for (one, next) in zip(seen.progress, seen.progress.dropFirst()) {
            #expect(next.readUnits >= one.readUnits && next.matchedUnits >= one.matchedUnits)
        }
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test(arguments: [
        ("ws-error:40001", 40001), ("ws-error-end:40300", 40300), ("ws-error-end:42903", 42903),
        ("ws-close-bytes:1000:4001", 90005), ("ws-close-open:1008", 90005), ("ws-error-end:2010", 50200),
    ])
    func aFinalNoIsOneError(fault: String, code: Int) async throws {
        let bed = try await TestBed(Self.settings())
        try await bed.faults(fault)
        // A close that comes after the end was sent leaves open whether the round was evaluated: that one has to come
        // before.
        let seen = try await Self.client(bed).run(Self.round(hasEnd: !fault.hasPrefix("ws-close-bytes")))
        #expect(seen.errors.map(\.code) == [code] && seen.results.isEmpty, "\(seen.errors)")
        #expect(try await bed.billed() == 0)
        await bed.stop()
    }

    @Test func aHalfOpenLinkIsFoundOut() async throws {
        let bed = try await TestBed(Self.settings(#"pingInterval: "50ms", pongTimeout: "200ms""#))
        try await bed.faults("ws-freeze-bytes:20000", "ws-silent:3")
        let seen = try await Self.client(bed).run(Self.round())
        #expect(seen.results.count == 1 && seen.errors.isEmpty && seen.failure == nil)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func aClientThatVanishesBeforeItsEndIsNotBilled() async throws {
        let bed = try await TestBed(Self.settings())
        _ = try await Self.client(bed).run([
            .await("connected"), Self.start("k"), .await("started"), .audio(seconds: 2), .kill,
        ])
        try await Self.waitForSessions(0, bed)
        #expect(try await bed.billed() == 0)
        #expect(try await bed.get("/v1/keys/k").status == 404)
        await bed.stop()
    }

    @Test func aClientThatVanishesBehindItsEndFindsItsResult() async throws {
        let bed = try await TestBed(Self.settings())
        try await bed.faults("ws-delay-result:500")
        _ = try await Self.client(bed).run([
            .await("connected"), Self.start("k"), .await("started"), .audio(seconds: 2.4, seed: 1), .send(Self.end),
            // What was sent before it has been read when its pong comes.
            .ping, .kill,
        ])
        let again = try await Self.client(bed).run(Self.round("k"))
        #expect(again.results.map(\.replayed) == [true] && again.errors.isEmpty)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func aFrameThatIsTooLargeAndASlowReaderHarmNobody() async throws {
        let bed = try await TestBed(Self.settings())
        let huge = RealtimeClient.Session([
            .await("connected"), Self.start(), .await("started"), .binary(200_000), .await("close", within: 10),
        ])
        var slow = RealtimeClient.Session(Self.round(seed: 2))
        slow.readDelay = 0.05
        let seen = try await Self.client(bed).run(sessions: [huge, slow])
        #expect(seen[0].closeCode == 1009 && seen[0].results.isEmpty)
        #expect(seen[1].results.count == 1 && seen[1].errors.isEmpty)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func roundsFollowOneAnother() async throws {
        let bed = try await TestBed(Self.settings())
        try await bed.faults("ws-kill-bytes:40000", "ws-kill-billed")
        let rounds = Self.round("a") + Self.round("b").dropFirst() + Self.round().dropFirst()
        let seen = try await Self.client(bed).run(rounds)
        #expect(seen.results.count == 3 && seen.errors.isEmpty && Set(seen.results.map(\.recordId)).count == 3)
        #expect(try await bed.billed() == 3)
        await bed.stop()
    }

    @Test func twoSessionsWithOneKeyAreOneBill() async throws {
        let bed = try await TestBed(Self.settings())
        try await bed.faults("ws-delay-result:300", "ws-delay-result:300")
        let sessions = (0..<4).map { _ in RealtimeClient.Session(Self.round("k")) }
        let seen = try await Self.client(bed).run(sessions: sessions)
        #expect(seen.allSatisfy { $0.results.count == 1 && $0.errors.isEmpty && $0.failure == nil })
        #expect(seen.filter { $0.results.first?.replayed == nil }.count == 1)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func withoutASlotASessionIsRefused() async throws {
        var settings = Self.settings()
        settings.accounts = [TestBed.PlatformAccount(name: "one", members: "concurrency: 1")]
        let bed = try await TestBed(settings)
        let slow = RealtimeClient.Session(
            Self.round(hasEnd: false).dropLast() + [.sleep(3), .send(Self.end), .await("outcome")]
        )
        var late = RealtimeClient.Session(Self.round(seed: 2))
        late.after = 1
        let seen = try await Self.client(bed).run(sessions: [slow, late])
        #expect(seen[0].results.count == 1 && seen[1].errors.map(\.code) == [42901], "\(seen.map(\.kinds))")
        let next = try await Self.client(bed).run(Self.round(seed: 3))
        #expect(next.results.count == 1)
        await bed.stop()
    }

    @Test func aRevokedCredentialEndsItsSessions() async throws {
        let bed = try await TestBed(Self.settings())
        async let open = Self.client(bed).run([
            .await("connected"), Self.start(), .await("started"), .audio(seconds: 1), .await("close", within: 5),
        ])
        try await Self.waitForSessions(1, bed)
        _ = try await bed.speechgate("client", "revoke", "school")
        #expect(try await open.closeCode == 4401)
        #expect(try await bed.billed() == 0)
        await bed.stop()
    }

    @Test func tokensAndSignaturesOpenSessionsUntilTheyAreTakenBack() async throws {
        let bed = try await TestBed(Self.settings())
        let added = try await bed.speechgate("client", "add", "kiosk", "--signing", "--scopes", "all")
        let kiosk = Array(added.output.utf8)
        let signed = RealtimeClient(
            port: bed.port,
            path: "/api/v1/ws/evaluate",
            .signed(
                appKey: try #require(JSONText.member("appKey", of: kiosk)),
                secretKey: try #require(JSONText.member("secretKey", of: kiosk))
            )
        )
        // All of the query is signed, also what only the SDK knows.
        let seen = try await signed.run(Self.round(), query: ["idempotencyKey": "a/b+c=", "sdk": "测试"])
        #expect(seen.results.count == 1 && seen.frames("started").first?.idempotencyKey == nil)
        let again = try await signed.run(Self.round(), query: ["idempotencyKey": "a/b+c="])
        #expect(again.results.map(\.replayed) == [true])
        let apiKey = try #require(JSONText.member("apiKey", of: kiosk))
        let minted = try await TestHTTPClient.exchange(
            port: bed.port,
            "POST",
            "/v1/tokens",
            fields: [("Authorization", "Bearer \(apiKey)"), ("Content-Type", "application/json")],
            body: Array(#"{"userId":"mei"}"#.utf8)
        )
        let token = try #require(minted.json("access_token"))
        let phone = RealtimeClient(port: bed.port, path: "/api/v1/ws/evaluate", .token(token))
        #expect(try await phone.run(Self.round("k")).results.count == 1)
        async let open = phone.run([.await("connected"), Self.start(), .await("close", within: 8)])
        try await Self.waitForSessions(1, bed)
        _ = try await bed.speechgate("token", "revoke", "--client", "kiosk", "--user", "mei")
        #expect(try await open.closeCode == 4401)
        #expect(try await phone.run([.await("connected", within: 2)]).status == 401)
        #expect(try await bed.billed() == 2)
        await bed.stop()
    }

    @Test func handshakesAreRefusedWithAStatusAndABody() async throws {
        var settings = Self.settings()
        settings.clientScopes = "evaluate"
        let bed = try await TestBed(settings)
        let unscoped = try await Self.client(bed).run([.await("connected", within: 2)])
        #expect(unscoped.status == 403 && unscoped.body?.contains("40300") == true)
        let unknown = RealtimeClient(port: bed.port, path: "/api/v1/ws/evaluate", .bearer("sg_nobody"))
        let seen = try await unknown.run([.await("connected", within: 2)])
        #expect(seen.status == 401 && seen.body?.contains("40100") == true)
        let plain = try await bed.get("/api/v1/ws/evaluate")
        #expect(plain.status == 403 || plain.status == 426)
        await bed.stop()
    }

    @Test func aStopLetsSessionsHaveTheirResults() async throws {
        let bed = try await TestBed(Self.settings())
        try await bed.faults("ws-delay-result:1500")
        async let busy = Self.client(bed).run(Self.round("k") + [.await("close", within: 20)])
        async let idle = Self.client(bed).run([.await("connected"), .await("close", within: 20)])
        try await Self.waitForSessions(2, bed)
        try await Self.waitForBills(1, bed)
        bed.gateway.signal(SIGTERM)
        let seen = try await busy
        #expect(seen.results.count == 1 && seen.errors.isEmpty && seen.closeCode == 1001)
        #expect(try await idle.closeCode == 1001)
        #expect(await bed.gateway.wait() == 0)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func aKilledGatewayBillsOnce() async throws {
        let bed = try await TestBed(Self.settings())
        try await bed.faults("ws-delay-result:5000")
        async let first = Self.client(bed).run(Self.round("k"))
        try await Self.waitForBills(1, bed)
        try await bed.killAndRestart()
        #expect(try await first.results.isEmpty)
        #expect(try await bed.get("/v1/keys/k").json("state") == "unknown")
        let again = try await Self.client(bed).run(Self.round("k"))
        #expect(again.results.count == 1 && again.errors.isEmpty)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test(.timeLimit(.minutes(2)))
    func twoHundredSessionsWithRandomBreaksEndOnceEach() async throws {
        var settings = Self.settings()
        settings.accounts = [TestBed.PlatformAccount(name: "wide", members: "concurrency: 400")]
        // Every second connection breaks at first: a breaker would keep new rounds back.
        settings.yugu["breaker"] = "{ minimumCalls: 10000 }"
        let bed = try await TestBed(settings)
        var random = SeededGenerator(seed: 7)
        let verbs = [
            "ws-kill-open", "ws-kill-bytes:20000", "ws-kill-end", "ws-kill-billed", "ws-close-bytes:9000:1011",
            "ws-error:50200", "ws-refuse", "ws-delay-result:200",
        ]
        try await bed.faults((0..<120).map { _ in verbs.randomElement(using: &random) ?? "ws-kill-open" })
        let sessions = (0..<200).map { index in
            var session = RealtimeClient.Session(Self.round("key-\(index)", seed: index % 5, seconds: 1.2))
            session.after = Double(index) * 0.02
            return session
        }
        let seen = try await Self.client(bed).run(sessions: sessions)
        #expect(seen.allSatisfy { $0.results.count + $0.errors.count == 1 && $0.failure == nil })
        let finished = seen.filter { $0.results.count == 1 }.count
        #expect(finished >= 195)
        #expect(try await bed.billed() == finished)
        await bed.stop()
    }
}
