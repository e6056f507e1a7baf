/// A rate limit: a bucket of tokens that fills evenly and gives one to every call.
///
/// All that is kept is the instant at which the bucket is full again (the generic cell rate algorithm): each token
/// moves it by `period / count`. That instant is stored as a whole one and a number of such steps, so nothing is ever
/// rounded and a rate holds exactly, however long the bucket lives.
///
/// Readings of the clock may be out of order by less than a second, as those of two threads are: they give and take
/// nothing. A clock that was set back further leaves the bucket empty, so nobody waits longer than a bucket takes to
/// fill. A leap ahead fills the bucket and does no more.
public struct TokenBucket: Sendable {
    /// How fast a bucket fills, and how much it holds.
    public struct Rate: Hashable, Sendable {
        /// Values that ``count`` and ``burst`` may have.
        public static let counts = 1...1_000_000
        /// Values that ``period`` may have.
        public static let periods = Duration.nanoseconds(1)...Duration.seconds(86_400)

        /// Tokens that come back in a period.
        public let count: Int
        /// The time in which they do.
        public let period: Duration
        /// Tokens in a full bucket.
        public let burst: Int

        /// Takes the parts, each within the range above.
        public init(_ count: Int, per period: Duration, burst: Int) {
            precondition(Self.counts.contains(count) && Self.counts.contains(burst) && Self.periods.contains(period))
            self.count = count
            self.period = period
            self.burst = burst
        }

        /// A duration divided by the count, rounded up to what a clock can tell.
        fileprivate func share(of duration: Duration) -> Duration {
            let quotient = duration / self.count
            let attosecond = Duration(secondsComponent: 0, attosecondsComponent: 1)
            return quotient * self.count < duration ? quotient + attosecond : quotient
        }
    }

    /// Whether a call may go on.
    enum Verdict: Equatable, Sendable {
        case allowed
        /// The call would be allowed after this time and not before, if no other call came first.
        case refused(retryAfter: Duration)
    }

    private static let disorder = Duration.seconds(1)

    private(set) var rate: Rate
    // The bucket is full at `base` + `steps` × period / count, and `steps` is less than the count.
    private var base: ContinuousClock.Instant
    private var steps = 0

    /// Makes a full bucket.
    init(_ rate: Rate, at now: ContinuousClock.Instant) {
        self.rate = rate
        self.base = now
    }

    /// When the bucket is full, if nothing is taken.
    var fullAt: ContinuousClock.Instant { self.base + self.rate.share(of: self.rate.period * self.steps) }

    /// Takes tokens, all or none.
    ///
    /// - Parameter tokens: At least 1 and at most the burst.
    mutating func take(_ tokens: Int = 1, at now: ContinuousClock.Instant) -> Verdict {
        precondition((1...self.rate.burst).contains(tokens))
        // Durations times the count, so that nothing is divided.
        let excess = self.follow(now) + self.rate.period * (tokens - self.rate.burst)
        guard excess <= .zero else { return .refused(retryAfter: self.rate.share(of: excess)) }
        self.advance(by: tokens)
        return .allowed
    }

    /// What ``take(_:at:)`` would say.
    func verdict(for tokens: Int = 1, at now: ContinuousClock.Instant) -> Verdict {
        var copy = self
        return copy.take(tokens, at: now)
    }

    /// Goes on at another rate; the bucket is full when it would have been, or when an empty one would be.
    mutating func change(to rate: Rate) {
        self.base = self.fullAt
        self.steps = 0
        self.rate = rate
    }

    /// Brings the bucket to now: full is full, and emptier than empty is empty.
    ///
    /// - Returns: The time until it is full, times the count.
    private mutating func follow(_ now: ContinuousClock.Instant) -> Duration {
        let left = (self.base - now) * self.rate.count + self.rate.period * self.steps
        let empty = self.rate.period * self.rate.burst
        if left <= .zero {
            self.base = now
            self.steps = 0
            return .zero
        }
        guard left > empty + Self.disorder * self.rate.count else { return left }
        self.base = now
        self.steps = 0
        self.advance(by: self.rate.burst)
        return empty
    }

    private mutating func advance(by tokens: Int) {
        let (periods, steps) = (self.steps + tokens).quotientAndRemainder(dividingBy: self.rate.count)
        self.base += self.rate.period * periods
        self.steps = steps
    }
}
