import TestSupport
import Testing

@testable import GatewayCore

/// Random schedules of audio, breaks, deliveries and ends.
@Suite struct RealtimeSessionPropertyTests {
    @Test(arguments: 0..<400 as Range<UInt64>)
    func thePlatformEvaluatesWhatTheClientSentAndOnce(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bench = RoundBench()
        var breaks = Int.random(in: 0...12, using: &random)
        var hasEnded = false
        for _ in 0..<Int.random(in: 5...120, using: &random) {
            bench.room = Int.random(in: 0...3, using: &random)
            bench.random = Double.random(in: 0..<1, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3 where !hasEnded:
                let size = Bool.random(using: &random) ? 640 : Int.random(in: 1...70_000, using: &random)
                let mark = UInt8.random(in: 0...255, using: &random)
                bench.send([mark] + [UInt8](repeating: mark &+ 1, count: size))
            case 4, 5: bench.deliver()
            case 6: bench.flush()
            case 7:
                bench.session.notePong()
                bench.pass(.milliseconds(Int.random(in: 1...6000, using: &random)))
            case 8 where breaks > 0:
                breaks -= 1
                bench.lose(Bool.random(using: &random) ? .transport("reset") : .closed(code: 1011, reason: ""))
            case 9 where !hasEnded && Int.random(in: 0..<20, using: &random) == 0: bench.restart()
            case 9 where Int.random(in: 0..<8, using: &random) == 0:
                hasEnded = true
                bench.end()
            default: break
            }
        }
        bench.end()
        bench.settle()
        #expect(bench.faults.isEmpty)
        #expect(bench.results + bench.failures.count == 1)
        if bench.failures.isEmpty {
            #expect(bench.evaluated == [bench.clientAudio])
        } else {
            // Only a connection that broke more often than is tried again may end it.
            #expect(bench.failures.map(\.reason) == [.reconnectsExhausted] && bench.delays.count >= 8)
        }
    }

    @Test(arguments: [BufferPolicy.drop, .fail], 0..<200 as Range<UInt64>)
    func otherPoliciesEndOnceToo(policy: BufferPolicy, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var configuration = RealtimeSession.Configuration()
        configuration.audioLimit = 5000
        var bench = RoundBench(configuration, policy: policy)
        for _ in 0..<60 {
            bench.room = Int.random(in: 0...3, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0...2: bench.send([UInt8](repeating: 7, count: Int.random(in: 1...900, using: &random)))
            case 3, 4: bench.deliver()
            case 5: bench.flush()
            case 6: bench.pass(.milliseconds(Int.random(in: 1...3000, using: &random)))
            default: if Int.random(in: 0..<4, using: &random) == 0 { bench.lose() }
            }
        }
        bench.end()
        bench.settle()
        #expect(bench.faults.isEmpty)
        #expect(bench.results + bench.failures.count == 1)
        #expect(bench.evaluated.count <= 1 || policy == .drop)
    }
}
