import HTTPWire
import TestSupport
import Testing

@testable import GatewayCore
@testable import ProviderYugu

/// No session and no round lasts for ever, and whoever is there is not taken for gone.
@Suite struct RealtimeTimeTests {
    private static let ping = #"{"cmd":"ping"}"#

    private static func started(_ bench: RealtimeBench) async throws -> RoundClient {
        let client = try await bench.connect()
        try await client.begin()
        await until { bench.platform.startCount == 1 }
        // All audio has been taken when the pong comes.
        await client.send(Self.ping)
        _ = try await client.next()
        return client
    }

    @Test func aRoundWithoutAnEndIsOver() async throws {
        let bench = try RealtimeBench(concurrency: 1) { $0.roundTimeout = .seconds(300) }
        let client = try await Self.started(bench)
        for _ in 0..<5 {
            await bench.pass(.seconds(50))
            await client.speak(RoundClient.audio())
            await client.send(Self.ping)
            #expect(try await client.next().contains("pong"))
        }
        await bench.pass(.seconds(55))
        let error = try await client.next()
        #expect(error.hasPrefix(#"{"event":"error","code":40001,"#) && error.contains("round_timeout"))
        #expect(error.contains(#""category":"TIMEOUT","retryable":false"#))
        await until { bench.platform.openCount == 0 }
        // Its slot is free, the session goes on, and what is still said of it is not heard.
        await client.speak(RoundClient.audio())
        #expect(try await client.round().contains(#""recordId""#))
        #expect(bench.platform.bills.count == 1)
        await bench.close()
    }

    @Test func pingsAloneKeepNoRound() async throws {
        let bench = try RealtimeBench(concurrency: 1)
        let client = try await Self.started(bench)
        for _ in 0..<2 {
            await bench.pass(.seconds(50))
            await client.send(Self.ping)
            #expect(try await client.next().contains("pong"))
        }
        await bench.pass(.seconds(50))
        let error = try await client.next()
        #expect(error.hasPrefix(#"{"event":"error","code":40001,"#) && error.contains("audio_timeout"), "\(error)")
        await until { bench.platform.openCount == 0 }
        #expect(try await client.round().contains(#""recordId""#) && bench.platform.bills.count == 1)
        await bench.close()
    }

    @Test func aRoundThatWaitsForItsResultIsNotHurried() async throws {
        let bench = try RealtimeBench([.hold])
        let client = try await Self.started(bench)
        await client.end()
        await until { bench.platform.heldCount == 1 }
        await bench.pass(.seconds(200))
        bench.platform.release()
        #expect(try await client.next().contains(#""recordId""#))
        await bench.close()
    }

    @Test(arguments: [false, true]) func anIdleSessionIsToldWhyItEnds(hasRound: Bool) async throws {
        let bench = try RealtimeBench()
        let client = hasRound ? try await Self.started(bench) : try await bench.connect()
        await bench.pass(.seconds(61))
        let error = try await client.next()
        #expect(error.hasPrefix(#"{"event":"error","code":40001,"#) && error.contains("session_idle"), "\(error)")
        await #expect(throws: RoundClient.Ended(code: 1000)) { _ = try await client.next() }
        await until { bench.platform.openCount == 0 && bench.registry.count == 0 }
        #expect(bench.platform.bills.isEmpty)
        await bench.close()
    }

    @Test func aSessionWithItsOutcomeIsClosedWithoutAnother() async throws {
        let bench = try RealtimeBench()
        let client = try await bench.connect()
        #expect(try await client.round().contains(#""recordId""#))
        // The session notes the end of its round behind the result.
        for _ in 0..<2 { await bench.pass(.seconds(61)) }
        await #expect(throws: RoundClient.Ended(code: 1000)) { _ = try await client.next() }
        let other = try await bench.connect()
        await other.send(#"{"cmd":"start","coreType":"song","referenceText":"a"}"#)
        #expect(try await other.next().contains("coreType"))
        await bench.pass(.seconds(61))
        await #expect(throws: RoundClient.Ended(code: 1000)) { _ = try await other.next() }
        await bench.close()
    }

    @Test func aClientThatTakesNothingHoldsUpNobody() async throws {
        let bench = try RealtimeBench()
        let stuck = try await bench.connect()
        let other = try await bench.connect()
        stuck.line.peerHolds()
        // Both are looked after; what the first one is told does not get through.
        await bench.pass(.seconds(61))
        #expect(try await other.next().contains("session_idle"))
        stuck.line.peerLetsGo()
        await bench.close()
    }

    // MARK: Sessions with one key

    @Test(arguments: [false, true]) func aSessionThatSpeaksIsThereWithoutItsPong(isBusy: Bool) async throws {
        // The test says when that time is up.
        let bench = try RealtimeBench { $0.duplicateTimeout = .seconds(3_600) }
        let older = try await bench.connect()
        await older.start(key: "k")
        _ = try await older.next()
        // What comes before the gateway has read `started` is kept, and keeps nobody busy.
        await older.speak(RoundClient.audio(count: 640))
        await until { bench.platform.heardBytes == 640 }
        older.line.fallSilent()
        if isBusy {
            // Audio that the platform does not take is not taken from the client either.
            let line = try #require(bench.platform.line)
            line.peerHolds()
            await older.speak(RoundClient.audio(count: 640))
            await until { line.peerHeldCount == 1 }
        }
        let newer = try await bench.connect()
        await newer.start(key: "k")
        _ = try await newer.next()
        await until { bench.platform.startCount == 2 }
        await until { older.line.waitingPings == 1 }
        if !isBusy {
            await older.speak(RoundClient.audio(count: 640))
            await until { bench.platform.heardBytes == 1_280 }
        }
        older.line.losePings()
        await until { older.line.waitingPings == 0 }
        // Whoever is taken for gone leaves right behind that.
        try await Task.sleep(for: .milliseconds(50))
        #expect(bench.registry.count == 2 && bench.platform.openCount == 2)
        await bench.close()
    }

    // MARK: Parameters that are refused

    @Test(arguments: [
        #"{"cmd":"start","coreType":"song","referenceText":"a"}"#,
        #"{"cmd":"start","coreType":"word","referenceText":"a","idempotencyKey":"a b"}"#,
        #"{"cmd":"start","coreType":"pinyin","referenceText":"a"}"#,
    ])
    func aStartThatIsRefusedEndsTheRoundBefore(frame: String) async throws {
        let bench = try RealtimeBench(concurrency: 1)
        let client = try await Self.started(bench)
        await client.send(frame)
        #expect(try await client.next().hasPrefix(#"{"event":"error","code":40"#))
        await until { bench.platform.openCount == 0 }
        // Neither its audio nor its end is heard, and nothing more is said of them.
        await client.speak(RoundClient.audio())
        await client.end()
        await client.send(Self.ping)
        #expect(try await client.next().contains("pong"))
        #expect(try await client.round().contains(#""recordId""#) && bench.platform.bills.count == 1)
        await bench.close()
    }

    @Test func whatIsNoStartLeavesTheRoundAlone() async throws {
        let bench = try RealtimeBench()
        let client = try await Self.started(bench)
        await client.send(#"{"cmd":"dance"}"#)
        #expect(try await client.next().contains("'cmd'"))
        await client.end()
        #expect(try await client.next().contains(#""recordId""#))
        await bench.close()
    }

    @Test func aRefusedStartBesideAnEndedRoundClosesTheSession() async throws {
        let bench = try RealtimeBench([.hold])
        let client = try await Self.started(bench)
        await client.end()
        await until { bench.platform.heldCount == 1 }
        await client.send(#"{"cmd":"start","coreType":"song","referenceText":"a"}"#)
        await #expect(throws: RoundClient.Ended(code: 1008)) { _ = try await client.next() }
        bench.platform.release()
        try await bench.drain()
        #expect(bench.platform.bills.count == 1)
        await bench.close()
    }
}
