import HTTPWire
import Store
import TestSupport
import Testing

@testable import GatewayCore
@testable import ProviderYugu

/// Which account carries a round, and when another one takes it over.
@Suite struct RealtimeAccountTests {
    private static func error(_ code: Int) -> String {
        #"{"event":"error","code":\#(code),"message":"no"}"#
    }

    // MARK: Slots

    /// After a break the round is without a connection for longer than a test lasts.
    private static func pause(_ configuration: inout RealtimeConfiguration) {
        configuration.round.initialDelay = .seconds(60)
        configuration.round.maximumDelay = .seconds(60)
    }

    @Test func anEndThatIsRefusedBetweenTwoConnectionsGivesTheSlotBack() async throws {
        let bench = try RealtimeBench([.breakAtBytes(640)], concurrency: 1, configure: Self.pause)
        let client = try await bench.connect(token: "one")
        await client.start(key: "a")
        _ = try await client.next()
        await until { bench.platform.startCount == 1 }
        await client.speak(RoundClient.audio())
        await until { bench.hasFreeSlot }
        #expect(try await bench.connect(token: "one").round(key: "b").contains(#""recordId""#))
        await until { bench.hasFreeSlot }
        await client.end()
        #expect(try await client.next().contains("token_exhausted"))
        await until { bench.hasFreeSlot }
        #expect(bench.platform.bills.count == 1)
        await bench.close()
    }

    @Test func aRoundDoesNotGoBackToTheAccountThatItLeft() async throws {
        let fault = Self.error(1310)
        let bench = try RealtimeBench(
            [.sayAtBytes(640, fault)],
            accounts: [{ _ in }, { $0.concurrency = 1 }],
            configure: Self.pause
        )
        #expect(bench.accounts[1].takeFreeSlot(at: .now))
        let client = try await bench.connect()
        await client.start(key: "k")
        _ = try await client.next()
        await until { bench.platform.startCount == 1 }
        await client.speak(RoundClient.audio())
        await until { bench.platform.openCount == 0 }
        await client.end()
        #expect(try await client.next().contains(#""code":42901"#))
        #expect(bench.platform.appKeys == ["ak_test"] && bench.platform.bills.isEmpty)
        // Nothing was executed, so the key is free.
        bench.accounts[1].slots.release(at: .now)
        #expect(try await bench.connect().round(key: "k").contains(#""recordId""#))
        #expect(bench.platform.appKeys == ["ak_test", "ak_next"])
        await bench.close()
    }

    // MARK: The day of an account

    @Test func anAccountWhoseDayIsUsedUpIsPassedOver() async throws {
        let bench = try RealtimeBench(accounts: [{ $0.daily.calls = 1 }, { _ in }])
        let client = try await bench.connect()
        #expect(try await client.round().contains(#""recordId""#))
        #expect(try await client.round().contains(#""recordId""#))
        #expect(bench.platform.appKeys == ["ak_test", "ak_next"] && bench.platform.bills.count == 2)
        await bench.close()
    }

    @Test(arguments: [DailyQuota.Allowance(calls: 1), DailyQuota.Allowance(audioMilliseconds: 1000)])
    func withoutAnyDayNobodySpeaks(allowance: DailyQuota.Allowance) async throws {
        let bench = try RealtimeBench(accounts: [{ $0.daily = allowance }])
        let client = try await bench.connect()
        #expect(try await client.round(key: "k").contains(#""recordId""#))
        await client.start()
        let refusal = try await client.next()
        #expect(refusal.contains(#""code":42903"#) && refusal.contains("account_daily_"))
        // Replays are free.
        #expect(try await client.round(key: "k").contains(#""replayed":true"#))
        #expect(bench.platform.appKeys.count == 1 && bench.platform.bills.count == 1)
        await bench.close()
    }

    /// The second round of a client; the platform hears it from its start.
    private static func roundOnTheFirst(
        _ client: RoundClient,
        _ bench: RealtimeBench,
        _ audio: [UInt8]
    ) async throws -> String {
        await client.start()
        _ = try await client.next()
        await until { bench.platform.startCount == 2 }
        await client.speak(audio)
        await client.end()
        return try await client.next()
    }

    @Test func aDayTooShortForTheAudioMovesTheRoundAtItsEnd() async throws {
        let bench = try RealtimeBench(accounts: [{ $0.daily.audioMilliseconds = 1500 }, { _ in }])
        let client = try await bench.connect()
        #expect(try await client.round().contains(#""recordId""#))
        let audio = RoundClient.audio(2)
        #expect(try await Self.roundOnTheFirst(client, bench, audio).contains(#""recordId""#))
        #expect(bench.platform.appKeys == ["ak_test", "ak_test", "ak_next"])
        #expect(bench.platform.bills.count == 2 && bench.platform.evaluated.values.contains(audio))
        await until { bench.platform.openCount == 0 }
        await bench.close()
    }

    @Test(arguments: [BufferPolicy.replay, .drop])
    func aDayTooShortForTheAudioIsSaidWhenNobodyCanHelp(policy: BufferPolicy) async throws {
        let bench = try RealtimeBench(
            accounts: [{ $0.daily.audioMilliseconds = 1500 }] + (policy == .drop ? [{ _ in }] : [])
        )
        let client = try await bench.connect(policy: policy)
        #expect(try await client.round().contains(#""recordId""#))
        let refusal = try await Self.roundOnTheFirst(client, bench, RoundClient.audio(2))
        #expect(refusal.contains(#""code":42903"#) && refusal.contains("account_daily_audio"))
        #expect(bench.platform.bills.count == 1)
        // What was too long for the day leaves it as it was.
        #expect(try await client.round(audio: RoundClient.audio(3, count: 16_000)).contains(#""recordId""#))
        await bench.close()
    }

    // MARK: Faults

    @Test(arguments: [40100, 2003, 2011, 1012, 1013, 40902, 1310, 2012, 42903], [false, true])
    func aFaultInAnErrorFrameMovesTheRound(code: Int, atStart: Bool) async throws {
        let fault: PlatformInMemory.Fault =
            atStart ? .answerStart(Self.error(code)) : .sayAtBytes(7000, Self.error(code))
        let bench = try RealtimeBench([fault], accounts: [{ _ in }, { _ in }])
        let client = try await bench.connect()
        let audio = RoundClient.audio()
        try await client.begin(audio: audio)
        await until { bench.platform.startCount == 2 }
        await client.end()
        let result = try await client.next()
        #expect(result.hasPrefix(#"{"event":"result""#), "\(result)")
        #expect(bench.platform.appKeys == ["ak_test", "ak_next"])
        #expect(bench.platform.bills.count == 1 && bench.platform.evaluated.values.first == audio)
        // The next round knows.
        #expect(try await client.round().contains(#""recordId""#))
        #expect(bench.platform.appKeys.last == "ak_next")
        await bench.close()
    }

    @Test func aRoundMovesAtMostOnceToEachAccount() async throws {
        let frames = [1310, 42903, 1012].map { PlatformInMemory.Fault.answerStart(Self.error($0)) }
        let bench = try RealtimeBench(frames, accounts: [{ _ in }, { _ in }, { _ in }])
        let client = try await bench.connect()
        await client.start()
        _ = try await client.next()
        #expect(try await client.next() == Self.error(1012))
        #expect(bench.platform.appKeys == ["ak_test", "ak_next", "ak_last"] && bench.platform.bills.isEmpty)
        await bench.close()
    }

    @Test func whatIsNoFaultOfTheAccountMovesNothing() async throws {
        let bench = try RealtimeBench([.sayAtBytes(640, Self.error(40001))], accounts: [{ _ in }, { _ in }])
        let client = try await bench.connect()
        try await client.begin()
        #expect(try await client.next() == Self.error(40001))
        #expect(bench.platform.appKeys == ["ak_test"])
        await bench.close()
    }

    @Test(arguments: [true, false]) func withoutTheAudioNoOtherAccountHelps(isHeard: Bool) async throws {
        let fault: PlatformInMemory.Fault =
            isHeard ? .sayAtBytes(640, Self.error(1310)) : .answerStart(Self.error(1310))
        let bench = try RealtimeBench([fault], accounts: [{ _ in }, { _ in }])
        let client = try await bench.connect(policy: .fail)
        await client.start()
        _ = try await client.next()
        guard isHeard else {
            await until { bench.platform.startCount == 2 }
            await client.speak(RoundClient.audio())
            await client.end()
            #expect(try await client.next().contains(#""recordId""#))
            return await bench.close()
        }
        await client.speak(RoundClient.audio())
        #expect(try await client.next() == Self.error(1310))
        #expect(bench.platform.appKeys == ["ak_test"])
        await bench.close()
    }

    // MARK: Signatures

    @Test func everyConnectionMayBeSignedAgain() async throws {
        let skewed = PlatformInMemory.Fault.refuse(401, #"{"code":2003,"message":"clock"}"#)
        let bench = try RealtimeBench([skewed, .breakAtBytes(640), skewed, .breakAtBytes(7000), skewed])
        let client = try await bench.connect()
        let result = try await client.round()
        #expect(result.contains(#""recordId""#) && bench.account.isReady, "\(result)")
        #expect(bench.platform.urls.count == 6 && bench.platform.bills.count == 1)
        await bench.close()
    }

    @Test func aSecondRefusalOfOneConnectionIsOurOwnBusiness() async throws {
        let skewed = PlatformInMemory.Fault.refuse(401, #"{"code":2003,"message":"clock"}"#)
        let bench = try RealtimeBench([skewed, skewed])
        let client = try await bench.connect()
        await client.start()
        _ = try await client.next()
        #expect(try await client.next().contains("account_not_ready"))
        #expect(!bench.account.isReady && bench.platform.urls.count == 2)
        await bench.close()
    }

    // MARK: The breaker

    private static func breaker(_ settings: inout Account.Settings) {
        settings.breaker.minimumCalls = 4
        settings.breaker.openTime = .seconds(60)
    }

    @Test func aRouteThatFailsIsKeptFromRoundsUntilOneGetsThrough() async throws {
        let bench = try RealtimeBench(Array(repeating: .noConnection, count: 4), accounts: [Self.breaker])
        let client = try await bench.connect()
        await client.start()
        _ = try await client.next()
        // Four connections failed; no fifth one is made, and no other round begins.
        #expect(try await client.next().contains("platform_failing"))
        await client.start()
        let refusal = try await client.next()
        #expect(refusal.contains(#""code":50200"#) && refusal.contains("platform_failing"))
        #expect(bench.platform.urls.count == 4)
        await bench.pass(.seconds(61))
        #expect(try await bench.connect().round().contains(#""recordId""#))
        #expect(try await bench.connect().round().contains(#""recordId""#))
        await bench.close()
    }

    @Test(
        arguments: [
            .answer(#"{"event":"error","code":50200,"message":"later"}"#), .refuse(503, "busy"), .noConnection,
        ] as [PlatformInMemory.Fault]
    )
    func failuresOfAnyKindCount(fault: PlatformInMemory.Fault) async throws {
        let bench = try RealtimeBench(Array(repeating: fault, count: 40), accounts: [Self.breaker])
        let client = try await bench.connect()
        _ = try await client.round()
        let count = bench.platform.urls.count
        await client.start()
        #expect(try await client.next().contains("platform_failing"))
        #expect(bench.platform.urls.count == count)
        await bench.close()
    }

    @Test func aRoundThatHasRunGoesOnTrying() async throws {
        let faults = [PlatformInMemory.Fault.breakAtBytes(640)] + Array(repeating: .noConnection, count: 6)
        let bench = try RealtimeBench(faults, accounts: [Self.breaker])
        let client = try await bench.connect()
        try await client.begin()
        await until { bench.platform.startCount == 2 }
        // Others are kept from a route that has failed six times.
        let other = try await bench.connect()
        await other.start()
        #expect(try await other.next().contains("platform_failing"))
        await client.end()
        #expect(try await client.next().contains(#""recordId""#))
        #expect(bench.platform.urls.count == 8 && bench.platform.bills.count == 1)
        await bench.close()
    }

    @Test(
        arguments: [
            .answer(#"{"event":"error","code":40001,"message":"short"}"#), .breakAtBytes(640),
            .breakAtEnd, .close(1011), .refuse(429, #"{"code":42901,"message":"busy"}"#),
        ] as [PlatformInMemory.Fault]
    )
    func whatIsNoFailureOfThePlatformDoesNot(fault: PlatformInMemory.Fault) async throws {
        let bench = try RealtimeBench(Array(repeating: fault, count: 6), accounts: [Self.breaker])
        for _ in 0..<7 { _ = try await bench.connect().round() }
        #expect(try await bench.connect().round().contains(#""recordId""#))
        await bench.close()
    }

    @Test func anotherAccountCarriesWhatABreakerHoldsBack() async throws {
        let faults = Array(repeating: PlatformInMemory.Fault.noConnection, count: 4)
        let bench = try RealtimeBench(faults, accounts: [Self.breaker, Self.breaker])
        let client = try await bench.connect()
        try await client.begin()
        await until { bench.platform.startCount == 1 }
        await client.end()
        #expect(try await client.next().contains(#""recordId""#))
        #expect(bench.platform.appKeys == ["ak_test", "ak_test", "ak_test", "ak_test", "ak_next"])
        await bench.close()
    }
}
