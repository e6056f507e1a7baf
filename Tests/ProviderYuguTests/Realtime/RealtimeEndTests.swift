import HTTPWire
import Store
import TestSupport
import Testing

@testable import GatewayCore
@testable import ProviderYugu

/// What is certain of a round when the platform says no, and what is said when its audio cannot be kept.
@Suite struct RealtimeEndTests {
    private static let refusal = #"{"event":"error","code":40001,"message":"no"}"#

    private static func row(_ bench: RealtimeBench, key: String) throws -> KeyRow? {
        let key = try #require(IdempotencyKey(key))
        return try bench.store.lookUp(CallScope(client: "school", user: nil, key: key).hash)
    }

    @Test func aNoFromBeforeTheEndIsNotItsAnswer() async throws {
        let bench = try RealtimeBench([.answerEarly(Self.refusal, then: nil)])
        let client = try await bench.connect()
        try await client.begin(key: "k")
        await client.end()
        await until { bench.platform.heldCount == 1 }
        bench.platform.release()
        // It was evaluated and billed: its result is not lost.
        #expect(try await client.next().contains(#""recordId""#))
        #expect(try Self.row(bench, key: "k")?.answer != nil && bench.platform.bills.count == 1)
        await bench.close()
    }

    @Test func theNoThatFollowsIsCertain() async throws {
        let second = #"{"event":"error","message":"no audio/config"}"#
        let bench = try RealtimeBench([.answerEarly(Self.refusal, then: second)])
        let client = try await bench.connect()
        try await client.begin(key: "k")
        await client.end()
        await until { bench.platform.heldCount == 1 }
        // Until the pong, even a second one may be from before the end.
        bench.platform.line?.speakAgain()
        await until { bench.platform.line?.answeredPings == 1 }
        bench.platform.release()
        #expect(try await client.next() == Self.refusal)
        try await bench.drain()
        #expect(try Self.row(bench, key: "k") == nil && bench.platform.bills.isEmpty)
        await bench.close()
    }

    @Test func whenTheProcessEndsNoRoundIsSentAnyMore() async throws {
        let bench = try RealtimeBench()
        let client = try await bench.connect()
        try await client.begin(key: "k")
        await until { bench.platform.startCount == 1 }
        bench.calls.cut()
        await client.end()
        #expect(try await client.next().contains(#""reason":"draining""#))
        #expect(try Self.row(bench, key: "k") == nil && bench.platform.bills.isEmpty)
        await bench.close()
    }

    @Test func withoutAnotherWordTheKeyStaysInDoubt() async throws {
        let bench = try RealtimeBench([.answerEarly(Self.refusal, then: nil)]) {
            $0.round.refusalTimeout = .milliseconds(30)
        }
        let client = try await bench.connect()
        try await client.begin(key: "k")
        await client.end()
        #expect(try await client.next() == Self.refusal)
        #expect(try Self.row(bench, key: "k")?.isUnresolved == true)
        // The platform evaluates it after all; the same key finds that out, unbilled.
        await until { bench.platform.heldCount == 1 }
        bench.platform.release()
        await until { bench.platform.bills.count == 1 }
        #expect(try await bench.connect().round(key: "k").contains(#""recordId""#))
        #expect(bench.platform.bills.count == 1)
        await bench.close()
    }

    @Test func audioThatFindsNoRoomBeforeTheStartIsCalledSo() async throws {
        let bench = try RealtimeBench([.holdOpen], spoolBudget: 0)
        let client = try await bench.connect()
        try await client.begin(audio: RoundClient.audio(count: 200_000))
        let error = try await client.next()
        #expect(error.hasPrefix(#"{"event":"error","code":90008,"#) && error.contains("spool_full"), "\(error)")
        #expect(!error.contains("broke") && bench.platform.bills.isEmpty)
        await bench.close()
    }

    @Test func moreAudioThanIsKeptBeforeTheStartIsCalledSo() async throws {
        let bench = try RealtimeBench([.holdOpen]) { $0.round.audioLimit = 32_768 }
        let client = try await bench.connect()
        try await client.begin(audio: RoundClient.audio(count: 64_000))
        let error = try await client.next()
        #expect(error.hasPrefix(#"{"event":"error","code":90008,"#) && error.contains("not connected"), "\(error)")
        #expect(!error.contains("broke") && bench.platform.bills.isEmpty)
        // One error, and the session goes on.
        bench.platform.release()
        #expect(try await client.round(audio: RoundClient.audio()).contains(#""recordId""#))
        await bench.close()
    }

    @Test func theClientsOwnLimitsAreErrorFramesInPlaceOfTheStart() async throws {
        let bench = try RealtimeBench()
        var limits = LimitSettings()
        limits.defaults.concurrency = 1
        bench.limiter.change(to: limits)
        let first = try await bench.connect()
        await first.start()
        _ = try await first.next()
        let second = try await bench.connect()
        await second.start()
        let error = try await second.next()
        #expect(error.hasPrefix(#"{"event":"error","code":42901,"message":""#) && error.contains("client_concurrency"))
        await bench.close()
    }
}
