import Foundation
import Store
import TestSupport
import Testing

@testable import GatewayCore
@testable import ProviderYugu

@Suite struct RealtimeTests {
    private static func key(of frame: String) -> String? {
        guard let start = frame.range(of: #""idempotencyKey":""#) else { return nil }
        return String(frame[start.upperBound...].prefix { $0 != "\"" })
    }

    @Test func aRoundIsOneResultAndOneBill() async throws {
        let bench = try RealtimeBench()
        let client = try await bench.connect()
        await client.start()
        let started = try await client.next()
        #expect(started.hasPrefix(#"{"event":"started","idempotencyKey":""#))
        let audio = RoundClient.audio()
        await client.speak(audio)
        await client.end()
        let result = try await client.next()
        #expect(result.hasPrefix(#"{"event":"result","recordId":"eval_"#) && !result.contains("replayed"))
        #expect(bench.platform.bills.count == 1 && bench.platform.evaluated.values.first == audio)
        let address = "ws://platform/api/v1/ws/evaluate?appKey=ak_test&timestamp="
        #expect(bench.platform.urls.first?.hasPrefix(address) == true)
        let key = try #require(Self.key(of: started).flatMap { IdempotencyKey($0) })
        let row = try bench.store.lookUp(CallScope(client: "school", user: nil, key: key).hash)
        #expect(row?.answer.map { String(decoding: $0.body, as: UTF8.self) } == result)
        #expect(row?.operation == "realtime" && bench.platform.bills == [row?.upstreamKey])
        await bench.close()
    }

    @Test(
        arguments: [
            [.breakAtBytes(7000)], [.breakAtBytes(640), .breakAtBytes(20_000), .noConnection],
            [.breakAtEnd], [.breakWhenBilled], [.breakWhenBilled, .noConnection, .breakAtBytes(1)],
            [.refuse(503, "busy")], [.answer(#"{"event":"error","code":50200,"message":"later"}"#)],
            [.close(1011)], [.close(1001), .breakAtEnd],
        ] as [[PlatformInMemory.Fault]]
    )
    func aBreakIsNotNoticed(faults: [PlatformInMemory.Fault]) async throws {
        let bench = try RealtimeBench(faults)
        let client = try await bench.connect()
        let audio = RoundClient.audio(count: 100_000)
        let result = try await client.round(audio: audio)
        #expect(result.hasPrefix(#"{"event":"result""#) && !result.contains("replayed"))
        #expect(bench.platform.bills.count == 1 && bench.platform.evaluated.values.first == audio)
        await until { bench.platform.openCount == 0 }
        await bench.close()
    }

    @Test func anAnsweredKeyIsReplayedWithoutThePlatform() async throws {
        let bench = try RealtimeBench()
        let first = try await bench.connect().round(key: "k")
        let second = try await bench.connect().round(key: "k")
        #expect(second == first.dropLast() + #","replayed":true}"#)
        #expect(bench.platform.urls.count == 1 && bench.platform.bills.count == 1)
        let other = try await bench.connect().round(key: "k", audio: RoundClient.audio(2))
        #expect(other.contains(#""event":"error","code":40903"#))
        await bench.close()
    }

    @Test func theTraceOfTheHandshakeGoesOnToEveryConnection() async throws {
        let bench = try RealtimeBench([.breakAtEnd])
        let id = "4bf92f3577b34da6a3ce929d0e0e4736"
        let client = try await bench.connect(traceparent: "00-\(id)-00f067aa0ba902b7-01")
        #expect(try await client.round().contains(#""recordId""#))
        let traces = bench.platform.traces.compactMap { $0 }
        #expect(traces.count == 2 && Set(traces).count == 2, "each connection is a part of its own")
        #expect(traces.allSatisfy { $0.hasPrefix("00-\(id)-") && $0.hasSuffix("-01") })
        #expect(!traces.contains { $0.contains("00f067aa0ba902b7") })
        // Without one, none is made up.
        #expect(try await bench.connect().round().contains(#""recordId""#))
        #expect(bench.platform.traces.last == .some(nil))
        await bench.close()
    }

    @Test func equalKeysOfTwoUsersNeverMeet() async throws {
        let bench = try RealtimeBench()
        _ = try await bench.connect(user: "anna").round(key: "k")
        let second = try await bench.connect(user: "ben").round(key: "k")
        #expect(!second.contains("replayed") && bench.platform.bills.count == 2)
        await bench.close()
    }

    @Test func twoSessionsWithOneKeyAreOneBill() async throws {
        let bench = try RealtimeBench([.hold, .hold])
        let clients = [try await bench.connect(), try await bench.connect()]
        for client in clients {
            try await client.begin(key: "k")
        }
        await clients[0].end()
        await until { bench.platform.heldCount == 1 }
        await clients[1].end()
        try await Task.sleep(for: .milliseconds(20))
        bench.platform.release()
        let results = [try await clients[0].next(), try await clients[1].next()]
        #expect(results.filter { $0.contains(#""replayed":true"#) }.count == 1)
        #expect(results.allSatisfy { $0.contains(#""recordId""#) } && bench.platform.bills.count == 1)
        await bench.close()
    }

    @Test func aSessionThatComesLateWaitsForTheOneThatRuns() async throws {
        let bench = try RealtimeBench([.hold])
        let first = try await bench.connect()
        try await first.begin(key: "k")
        await first.end()
        await until { bench.platform.heldCount == 1 }
        let second = try await bench.connect()
        try await second.begin(key: "k")
        await second.end()
        #expect(bench.platform.urls.count == 1)
        bench.platform.release()
        #expect(try await second.next().contains(#""replayed":true"#))
        await bench.close()
    }

    @Test func aSessionTakesThePlaceOfOneThatWasNotExecuted() async throws {
        let refusal = #"{"event":"error","code":40001,"message":"no"}"#
        let bench = try RealtimeBench([.holdAndAnswer(refusal)])
        let first = try await bench.connect()
        try await first.begin(key: "k")
        await first.end()
        await until { bench.platform.heldCount == 1 }
        let second = try await bench.connect()
        try await second.begin(key: "k")
        await second.end()
        try await Task.sleep(for: .milliseconds(20))
        #expect(bench.platform.urls.count == 1)
        bench.platform.release()
        #expect(try await first.next() == refusal)
        let result = try await second.next()
        #expect(result.contains(#""recordId""#) && !result.contains("replayed"))
        #expect(bench.platform.evaluated.values.first == RoundClient.audio() && bench.platform.bills.count == 1)
        await bench.close()
    }

    @Test func aRefusalFreesTheKeyForTheNext() async throws {
        let frame = #"{"event":"error","code":40001,"message":"no"}"#
        let bench = try RealtimeBench([.answer(frame)])
        #expect(try await bench.connect().round(key: "k") == frame)
        #expect(try await bench.connect().round(key: "k").contains(#""recordId""#))
        #expect(bench.platform.bills.count == 1)
        await bench.close()
    }

    @Test func whoLeavesBeforeTheEndIsNotBilled() async throws {
        let bench = try RealtimeBench(concurrency: 1)
        let client = try await bench.connect()
        try await client.begin(key: "k")
        await until { bench.platform.openCount == 1 }
        client.line.abort()
        await until { bench.platform.openCount == 0 }
        #expect(bench.platform.bills.isEmpty && bench.registry.count == 0)
        // The slot is free again.
        #expect(try await bench.connect().round(key: "k").contains(#""recordId""#))
        await bench.close()
    }

    @Test func whoLeavesBehindTheEndFindsTheResult() async throws {
        let bench = try RealtimeBench([.hold])
        let client = try await bench.connect()
        try await client.begin(key: "k")
        await client.end()
        await until { bench.platform.heldCount == 1 }
        client.line.abort()
        await until { bench.registry.count == 0 }
        bench.platform.release()
        try await bench.drain()
        #expect(try await bench.connect().round(key: "k").contains(#""replayed":true"#))
        #expect(bench.platform.bills.count == 1)
        await bench.close()
    }

    @Test func aRefusalPassesAndFreesTheKey() async throws {
        let frame = #"{"event":"error","code":40001,"message":"short"}"#
        let bench = try RealtimeBench([.answer(frame)])
        let client = try await bench.connect()
        #expect(try await client.round(key: "k") == frame)
        #expect(try await client.round(key: "k").contains(#""recordId""#))
        await bench.close()
    }

    @Test func refusedCredentialsAreOurOwnBusiness() async throws {
        let bench = try RealtimeBench([.refuse(401, #"{"code":2010,"message":"unknown key"}"#)])
        let client = try await bench.connect()
        await client.start()
        _ = try await client.next()
        let error = try await client.next()
        #expect(error.contains(#""code":50200"#) && error.contains("account_not_ready") && !bench.account.isReady)
        await bench.close()
    }

    @Test func anUnreachablePlatformEndsTheRoundAfterEightAttempts() async throws {
        let bench = try RealtimeBench(Array(repeating: .noConnection, count: 20))
        let client = try await bench.connect()
        await client.start()
        _ = try await client.next()
        #expect(try await client.next().contains(#""code":90006"#))
        #expect(bench.platform.urls.count == 9)
        await bench.close()
    }

    @Test func anUnknownOutcomeIsFoundOutWithTheSameKey() async throws {
        let faults = [PlatformInMemory.Fault.breakWhenBilled] + Array(repeating: .noConnection, count: 8)
        let bench = try RealtimeBench(faults)
        let client = try await bench.connect()
        let first = try await client.round(key: "k")
        #expect(first.contains(#""code":50200"#) && first.contains("outcome_unknown"))
        let second = try await bench.connect().round(key: "k")
        #expect(second.contains(#""recordId""#) && !second.contains("replayed") && bench.platform.bills.count == 1)
        await bench.close()
    }

    @Test(arguments: [false, true])
    func withoutRoomInTheSpoolOnlyABreakHurts(breaks: Bool) async throws {
        let bench = try RealtimeBench(breaks ? [.breakAtBytes(190_000)] : [], spoolBudget: 0)
        let client = try await bench.connect()
        await client.start()
        _ = try await client.next()
        // Until the gateway has read `started`, audio has to be kept; for so little it needs no spool.
        await client.speak(RoundClient.audio(count: 640))
        await until { bench.platform.heardBytes == 640 }
        await client.speak(RoundClient.audio(count: 199_360))
        // Behind an end that overtakes the break the outcome would be unknown.
        if !breaks { await client.end() }
        let last = try await client.next()
        #expect(last.contains(breaks ? #""code":90008"# : #""recordId""#), "\(last)")
        #expect(bench.platform.bills.count == (breaks ? 0 : 1))
        await bench.close()
    }

    @Test func aDayThatIsUsedUpIsSaidBeforeAnybodySpeaks() async throws {
        let bench = try RealtimeBench()
        var limits = LimitSettings()
        limits.defaults.daily.calls = 1
        bench.limiter.change(to: limits)
        let client = try await bench.connect()
        #expect(try await client.round(key: "k").contains(#""recordId""#))
        await client.start()
        #expect(try await client.next().contains(#""code":42903"#))
        // Replays are free.
        #expect(try await client.round(key: "k").contains(#""replayed":true"#))
        #expect(bench.platform.bills.count == 1)
        await bench.close()
    }

    @Test func severalRoundsFollowOneAnother() async throws {
        let bench = try RealtimeBench()
        let client = try await bench.connect()
        let results = [try await client.round(), try await client.round(), try await client.round()]
        #expect(Set(results).count == 3 && bench.platform.bills.count == 3)
        await bench.close()
    }

    @Test func withoutASlotTheRoundIsRefused() async throws {
        let bench = try RealtimeBench(concurrency: 1)
        let first = try await bench.connect()
        await first.start()
        _ = try await first.next()
        await until { bench.platform.openCount == 1 }
        let second = try await bench.connect()
        await second.start()
        _ = try await second.next()
        #expect(try await second.next().contains(#""code":42901"#))
        await bench.close()
    }

    @Test func aSessionWithABrokenLinkGivesWayToItsSuccessor() async throws {
        let bench = try RealtimeBench { $0.duplicateTimeout = .milliseconds(20) }
        let older = try await bench.connect()
        await older.start(key: "k")
        _ = try await older.next()
        older.line.fallSilent()
        let newer = try await bench.connect()
        let result = try await newer.round(key: "k")
        #expect(result.contains(#""recordId""#) && !result.contains("replayed"))
        await #expect(throws: RoundClient.Ended(code: 1001)) { _ = try await older.next() }
        #expect(bench.platform.bills.count == 1)
        await bench.close()
    }

    @Test func aCloseForGoodPassesThrough() async throws {
        let bench = try RealtimeBench([.close(4001)])
        let client = try await bench.connect()
        #expect(try await client.round().contains("outcome_unknown"))
        await #expect(throws: RoundClient.Ended(code: 4001)) { _ = try await client.next() }
        await bench.close()
    }

    @Test func policyFailTellsOfTheBreak() async throws {
        let bench = try RealtimeBench([.breakAtBytes(640)])
        let client = try await bench.connect(policy: .fail)
        try await client.begin()
        #expect(try await client.next().contains(#""code":50200"#))
        #expect(bench.platform.bills.isEmpty)
        await bench.close()
    }

    @Test func compatRoundsSpeakTheirOwnFrames() async throws {
        let bench = try RealtimeBench()
        let client = try await bench.connect(surface: .compat(.chineseSentence))
        await client.send(#"{"refText":"今天","realtime_feedback":true}"#)
        #expect(try await client.next().hasPrefix(#"{"event":"started","coreType":"sent.eval.cn","idempotencyKey":""#))
        // Parameters that come again clear the audio.
        await client.speak(RoundClient.audio(9))
        await client.send(#"{"refText":"天气"}"#)
        _ = try await client.next()
        await client.send(#"{"cmd":"audio","data":"AAECAw=="}"#)
        await client.send(#"{"end":true}"#)
        #expect(try await client.next().contains(#""recordId""#))
        #expect(bench.platform.evaluated.values.first == [0, 1, 2, 3])
        await bench.close()
    }

    @Test func whatIsWrongIsSaid() async throws {
        let bench = try RealtimeBench()
        let client = try await bench.connect()
        for (frame, message) in [
            ("{", "not a JSON object"), (#"{"cmd":"dance"}"#, "'cmd' must be"), (#"{"cmd":"end"}"#, "no round"),
            (#"{"cmd":"start","coreType":"song","referenceText":"a"}"#, "'coreType'"),
            (#"{"cmd":"start","coreType":"word","referenceText":"a","idempotencyKey":"a b"}"#, "'idempotencyKey'"),
            (#"{"cmd":"audio","data":"?"}"#, "Base64"),
        ] {
            await client.send(frame)
            let answer = try await client.next()
            #expect(answer.contains(#""event":"error","code":40001"#) && answer.contains(message))
        }
        // A client whose start was refused may not know yet: nothing more is said of what it goes on to send.
        await client.end()
        await client.send(#"{"cmd":"ping"}"#)
        #expect(try await client.next().hasPrefix(#"{"event":"pong","ts":"#))
        await client.start()
        _ = try await client.next()
        await client.end()
        #expect(try await client.next().contains("no audio"))
        #expect(bench.platform.bills.isEmpty)
        await bench.close()
    }

    @Test func precheckRefusesBeforeAnythingIsBilled() async throws {
        let bench = try RealtimeBench(precheck: .reject)
        let client = try await bench.connect()
        let answer = try await client.round(audio: [UInt8](repeating: 0, count: 64_000))
        #expect(answer.contains(#""code":90103"#) && bench.platform.bills.isEmpty)
        await bench.close()
    }

    @Test func precheckWarnsBesideTheResult() async throws {
        let bench = try RealtimeBench(precheck: .warn)
        let client = try await bench.connect()
        let warning = try await client.round(audio: RoundClient.audio(count: 16_000))
        #expect(warning.hasPrefix(#"{"event":"warning","warnings":[{"code":90101"#))
        #expect(try await client.next().contains(#""recordId""#))
        await bench.close()
    }

    @Test func drainingEndsBehindTheResult() async throws {
        let bench = try RealtimeBench([.hold])
        let idle = try await bench.connect()
        let busy = try await bench.connect()
        try await busy.begin()
        await busy.end()
        await until { bench.platform.heldCount == 1 }
        idle.drain()
        busy.drain()
        await #expect(throws: RoundClient.Ended(code: 1001)) { _ = try await idle.next() }
        bench.platform.release()
        #expect(try await busy.next().contains(#""recordId""#))
        await #expect(throws: RoundClient.Ended(code: 1001)) { _ = try await busy.next() }
        await bench.close()
    }
}
