/// Keeps calls from a route of an account that fails, and lets one through now and then to see whether it still does.
///
/// Closed, it counts; when enough of the last calls failed it opens. Open, it refuses, each time longer until one
/// succeeds. Then it is half open: one call at a time is a probe, whose success closes it.
public struct CircuitBreaker: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// When it opens, and for how long.
    public struct Configuration: Hashable, Sendable {
        /// The time over which calls are counted; the default is 10 s.
        public var window = Duration.seconds(10)
        /// The calls in that time without which it does not open; the default is 20.
        public var minimumCalls = 20
        /// The share of failures that opens it; the default is 0.5.
        public var failureRatio = 0.5
        /// How long it is open at first; each further time in a row doubles; the default is 5 s.
        public var openTime = Duration.seconds(5)
        /// The longest time by doubling; the default is 60 s.
        public var maximumOpenTime = Duration.seconds(60)
        /// After what time without news of a probe the next one may go; the default is 120 s, as long as an attempt.
        public var probeTime = Duration.seconds(120)

        /// The defaults.
        public init() {}
    }

    /// What an attempt says about the route.
    enum Outcome: Sendable {
        /// The platform did its part, also by saying no.
        case success
        /// It could not be reached, took too long, or failed.
        case failure
        /// Nothing.
        case none
    }

    /// Goes with an attempt and comes back with its outcome.
    struct Permit: Hashable, Sendable {
        fileprivate let round: Int
    }

    /// Whether an attempt may be made.
    enum Admission: Equatable, Sendable {
        case admitted(Permit)
        /// Not before this instant.
        case refused(until: Instant)
    }

    private enum State {
        case closed
        case open(until: Instant)
        /// With the time until which no other probe may go.
        case halfOpen(probeUntil: Instant?)
    }

    /// While a probe is under way its end is not known: come back after this time.
    private static let probeRetry = Duration.seconds(1)

    private let configuration: Configuration
    private var state = State.closed
    /// Of the time since it closed.
    private var counts: SlidingCounts
    // Counts the changes of state: what an attempt from before one says is no longer of interest.
    private var round = 0
    // Openings since the last success.
    private var openings = 0

    /// Makes a closed one.
    init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        self.counts = SlidingCounts(window: configuration.window)
    }

    /// Until when calls are refused, as far as is known; nil when one would be let through now.
    func refusedUntil(at now: Instant) -> Instant? {
        switch self.state {
        case .open(let until) where now < until: until
        case .halfOpen(.some(let until)) where now < until: min(until, now + Self.probeRetry)
        case .closed, .open, .halfOpen: nil
        }
    }

    /// Asks for an attempt; one that is admitted has to be followed by ``record(_:for:at:)``, whatever becomes of it.
    mutating func admit(at now: Instant) -> Admission {
        if let until = self.refusedUntil(at: now) { return .refused(until: until) }
        switch self.state {
        case .closed: break
        case .open, .halfOpen: self.enter(.halfOpen(probeUntil: now + self.configuration.probeTime))
        }
        return .admitted(Permit(round: self.round))
    }

    /// Takes what an attempt came to.
    mutating func record(_ outcome: Outcome, for permit: Permit, at now: Instant) {
        guard permit.round == self.round else { return }
        switch (self.state, outcome) {
        case (.closed, .none), (.open, _):
            break
        case (.closed, .success), (.closed, .failure):
            self.counts.add(calls: 1, marked: outcome == .failure ? 1 : 0, at: now)
            if self.isBad { self.open(at: now) }
        case (.halfOpen, .success):
            self.openings = 0
            self.counts = SlidingCounts(window: self.configuration.window)
            self.enter(.closed)
        case (.halfOpen, .failure):
            self.open(at: now)
        case (.halfOpen, .none):
            self.enter(.halfOpen(probeUntil: nil))
        }
    }

    private var isBad: Bool {
        self.counts.calls >= self.configuration.minimumCalls && self.counts.marked > 0
            && Double(self.counts.marked) >= self.configuration.failureRatio * Double(self.counts.calls)
    }

    private mutating func open(at now: Instant) {
        let doubled = self.configuration.openTime * (1 << min(self.openings, 16))
        self.openings += 1
        self.enter(.open(until: now + min(self.configuration.maximumOpenTime, doubled)))
    }

    private mutating func enter(_ state: State) {
        self.state = state
        self.round += 1
    }
}
