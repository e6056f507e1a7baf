import TestSupport
import Testing

@testable import GatewayCore

@Suite struct TokenBucketTests {
    private static let start = ContinuousClock.now
    private static let attosecond = Duration(secondsComponent: 0, attosecondsComponent: 1)

    /// A call and what is said to it: nil for yes, else the wait.
    struct Step: Sendable {
        let at: Duration
        var tokens = 1
        let wait: Duration?
    }

    struct Schedule: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let rate: TokenBucket.Rate
        let steps: [Step]
    }

    @Test(
        arguments: [
            Schedule(
                testDescription: "a burst, then one a second",
                rate: .init(1, per: .seconds(1), burst: 2),
                steps: [
                    Step(at: .zero, wait: nil), Step(at: .zero, wait: nil), Step(at: .zero, wait: .seconds(1)),
                    Step(at: .milliseconds(400), wait: .milliseconds(600)), Step(at: .seconds(1), wait: nil),
                    Step(at: .seconds(1), wait: .seconds(1)), Step(at: .seconds(10), wait: nil),
                    Step(at: .seconds(10), wait: nil), Step(at: .seconds(10), wait: .seconds(1)),
                ]
            ),
            Schedule(
                testDescription: "three a second are back after exactly one",
                rate: .init(3, per: .seconds(1), burst: 3),
                steps: [
                    Step(at: .zero, tokens: 3, wait: nil),
                    Step(at: .nanoseconds(999_999_999), tokens: 3, wait: .nanoseconds(1)),
                    Step(at: .seconds(1), tokens: 3, wait: nil),
                    Step(at: .seconds(1), wait: .milliseconds(1000) / 3 + attosecond),
                ]
            ),
            Schedule(
                testDescription: "several tokens at once, all or none",
                rate: .init(10, per: .seconds(1), burst: 5),
                steps: [
                    Step(at: .zero, tokens: 4, wait: nil), Step(at: .zero, tokens: 2, wait: .milliseconds(100)),
                    Step(at: .zero, tokens: 1, wait: nil), Step(at: .zero, tokens: 5, wait: .milliseconds(500)),
                ]
            ),
            Schedule(
                testDescription: "readings a little out of order give and take nothing",
                rate: .init(1, per: .seconds(1), burst: 1),
                steps: [
                    Step(at: .seconds(5), wait: nil), Step(at: .milliseconds(4500), wait: .milliseconds(1500)),
                    Step(at: .milliseconds(5999), wait: .milliseconds(1)), Step(at: .seconds(6), wait: nil),
                ]
            ),
            Schedule(
                testDescription: "a clock that is set back costs one empty bucket",
                rate: .init(1, per: .seconds(1), burst: 3),
                steps: [
                    Step(at: .seconds(3_000_000_000), tokens: 3, wait: nil), Step(at: .zero, wait: .seconds(1)),
                    Step(at: .seconds(1), wait: nil), Step(at: .seconds(4), tokens: 3, wait: nil),
                ]
            ),
            Schedule(
                testDescription: "a clock that leaps ahead fills the bucket and no more",
                rate: .init(1_000_000, per: .nanoseconds(1), burst: 2),
                steps: [
                    Step(at: .zero, tokens: 2, wait: nil), Step(at: .seconds(9_000_000_000), tokens: 2, wait: nil),
                    Step(at: .seconds(9_000_000_000), wait: attosecond * 1000),
                ]
            ),
            Schedule(
                testDescription: "the slowest and the largest",
                rate: .init(1, per: .seconds(86_400), burst: 1_000_000),
                steps: [
                    Step(at: .zero, tokens: 1_000_000, wait: nil), Step(at: .zero, wait: .seconds(86_400)),
                    Step(at: .zero, tokens: 1_000_000, wait: .seconds(86_400) * 1_000_000),
                ]
            ),
        ]
    )
    func schedule(_ schedule: Schedule) {
        var bucket = TokenBucket(schedule.rate, at: Self.start)
        for (index, step) in schedule.steps.enumerated() {
            let expected: TokenBucket.Verdict = step.wait.map { .refused(retryAfter: $0) } ?? .allowed
            let now = Self.start + step.at
            #expect(bucket.verdict(for: step.tokens, at: now) == expected, "step \(index)")
            #expect(bucket.take(step.tokens, at: now) == expected, "step \(index)")
        }
    }

    @Test func thirdsOfASecondDoNotDriftInAMillionTokens() {
        var bucket = TokenBucket(.init(3, per: .seconds(1), burst: 2), at: Self.start)
        var now = Self.start
        var taken = 0
        while taken < 1_000_001 {
            switch bucket.take(at: now) {
            case .allowed: taken += 1
            case .refused(let wait): now += wait
            }
        }
        // Two came at once; the last is number 999,999 of three a second, exactly.
        #expect(now - Self.start == .seconds(333_333))
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func randomSchedulesAgreeWithExactFractions(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let rate = TokenBucket.Rate(
            Int.random(in: 1...50, using: &generator),
            per: .nanoseconds(Int64.random(in: 1...10_000_000_000, using: &generator)),
            burst: Int.random(in: 1...20, using: &generator)
        )
        var bucket = TokenBucket(rate, at: Self.start)
        var model = FractionBucket(rate)
        var now = Duration.zero
        for _ in 0..<500 {
            let tokens = Int.random(in: 1...rate.burst, using: &generator)
            // Up to a sixth, a third or half of the time in which the bucket fills.
            let limit = rate.period * rate.burst / rate.count * Int.random(in: 1...3, using: &generator) / 6
            now += .nanoseconds(Int64.random(in: 0...limit.nanoseconds, using: &generator))
            let verdict = bucket.take(tokens, at: Self.start + now)
            let wait = model.take(tokens, at: now.nanoseconds)
            #expect(verdict == (wait.map { .refused(retryAfter: $0) } ?? .allowed))
            guard case .refused(let wait) = verdict else { continue }
            // Exact: not a moment earlier, and then.
            #expect(bucket.verdict(for: tokens, at: Self.start + now + wait) == .allowed)
            #expect(bucket.verdict(for: tokens, at: Self.start + now + wait - Self.attosecond) != .allowed)
        }
    }

    @Test func aChangeOfRateKeepsWhenTheBucketIsFull() {
        var bucket = TokenBucket(.init(1, per: .seconds(10), burst: 6), at: Self.start)
        #expect(bucket.take(4, at: Self.start) == .allowed)
        bucket.change(to: .init(1, per: .seconds(4), burst: 20))
        #expect(bucket.fullAt == Self.start + .seconds(40))
        #expect(bucket.verdict(for: 10, at: Self.start) == .allowed)
        #expect(bucket.verdict(for: 11, at: Self.start) == .refused(retryAfter: .seconds(4)))
        // Emptier than empty is empty.
        bucket.change(to: .init(1, per: .seconds(1), burst: 2))
        #expect(bucket.verdict(at: Self.start) == .refused(retryAfter: .seconds(1)))
    }
}

/// The obvious bucket: its content as a fraction with the period for denominator.
private struct FractionBucket {
    let count: Int128
    let period: Int128
    let burst: Int128
    var content: Int128
    var last: Int64 = 0

    init(_ rate: TokenBucket.Rate) {
        self.count = Int128(rate.count)
        self.period = Int128(rate.period.nanoseconds)
        self.burst = Int128(rate.burst)
        self.content = self.burst * self.period
    }

    mutating func take(_ tokens: Int, at now: Int64) -> Duration? {
        self.content = min(self.burst * self.period, self.content + Int128(now - self.last) * self.count)
        self.last = now
        let lacking = Int128(tokens) * self.period - self.content
        guard lacking > 0 else {
            self.content = -lacking
            return nil
        }
        let attoseconds = (lacking * 1_000_000_000 + self.count - 1) / self.count
        let (seconds, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
        return Duration(secondsComponent: Int64(seconds), attosecondsComponent: Int64(rest))
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        self.components.seconds * 1_000_000_000 + self.components.attoseconds / 1_000_000_000
    }
}
