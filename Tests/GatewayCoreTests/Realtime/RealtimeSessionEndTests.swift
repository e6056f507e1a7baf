import Testing

@testable import GatewayCore

/// What a no says of a round, and who may take it over.
@Suite struct RealtimeSessionEndTests {
    private typealias Session = RealtimeSession

    private static func refusalMessage(_ kind: PlatformCode.Kind?, _ value: Int) -> Session.Message {
        let code = kind.map { PlatformCode(value: value, kind: $0, usualStatus: 400) }
        return .refusal(Session.PlatformRefusal(code: code, content: []))
    }

    /// A round whose end is under way to the platform, which has said nothing but `started`.
    private static func ending() -> RoundBench {
        var bench = RoundBench.started()
        bench.isEndUnderWay = true
        bench.send([1])
        bench.end()
        return bench
    }

    @Test func aNoFromBeforeTheEndWaitsForWhatFollows() {
        var bench = Self.ending()
        bench.receive(Self.refusalMessage(.final, 40001))
        #expect(bench.session.state == .ending && bench.failures.isEmpty)
        var evaluated = bench
        evaluated.deliver()
        #expect(evaluated.results == 1 && evaluated.session.state == .completed)
        var refused = bench
        refused.session.noteEndArrived()
        refused.receive(Self.refusalMessage(nil, 0))
        #expect(refused.failures.map(\.mayBeExecuted) == [false])
        var silent = bench
        silent.pass(.seconds(10))
        #expect(silent.failures.map(\.mayBeExecuted) == [true] && silent.closeCodes == [1000])
        for failure in refused.failures + silent.failures {
            guard case .refusal(let refusal)? = failure.loss else {
                Issue.record("the first no is lost")
                continue
            }
            #expect(refusal.code?.value == 40001)
        }
    }

    @Test(arguments: [1000, 1011] as [UInt16])
    func aNoFromBeforeTheEndAndABreakLeaveDoubt(closeCode: UInt16) {
        var bench = Self.ending()
        bench.receive(Self.refusalMessage(.final, 40001))
        bench.lose(.closed(code: closeCode, reason: ""))
        guard closeCode == 1011 else {
            #expect(bench.failures.map(\.mayBeExecuted) == [true])
            return
        }
        // Under the same key the next connection finds out.
        #expect(bench.session.state == .reconnecting)
        bench.isEndUnderWay = false
        bench.settle()
        #expect(bench.results == 1 && bench.evaluated == [[1]])
    }

    @Test func aRetryableNoFromBeforeTheEndLeavesDoubt() {
        var bench = Self.ending()
        bench.receive(Self.refusalMessage(.retryable, 42901))
        #expect(bench.session.state == .reconnecting)
        bench.isEndUnderWay = false
        bench.pass(.seconds(1))
        bench.deliver()
        bench.deliver()
        bench.receive(Self.refusalMessage(.final, 40001))
        #expect(bench.failures.map(\.mayBeExecuted) == [true])
    }

    @Test func aNoThatAnswersTheEndIsCertainAtOnce() {
        var bench = RoundBench.started()
        bench.send([1])
        bench.end()
        bench.receive(Self.refusalMessage(.final, 40001))
        #expect(bench.failures.map(\.mayBeExecuted) == [false])
    }

    @Test(arguments: [BufferPolicy.replay, .drop, .fail]) func anotherAccountTakesARoundOver(policy: BufferPolicy) {
        var bench = RoundBench.started(policy: policy)
        bench.send([1, 2])
        guard let actions = bench.session.takeOver(at: bench.now) else {
            #expect(policy == .fail)
            return
        }
        bench.perform(actions)
        #expect(bench.dials == 2 && bench.delays.isEmpty && bench.closeCodes == [1001])
        bench.deliverAll()
        bench.send([3])
        bench.end()
        bench.settle()
        #expect(bench.evaluated == [policy == .replay ? [1, 2, 3] : [3]])
    }

    @Test func nobodyTakesOverWhatMayBeEvaluated() {
        var ending = RoundBench.started()
        ending.send([1])
        ending.end()
        #expect(ending.session.takeOver(at: ending.now) == nil)
        ending.lose()
        ending.pass(.seconds(1))
        #expect(ending.session.takeOver(at: ending.now) == nil)
        var long = Session.Configuration()
        long.audioLimit = 2
        var overflown = RoundBench.started(long)
        overflown.send([1, 2, 3])
        #expect(overflown.session.takeOver(at: overflown.now) == nil)
    }
}
