/// When and how often a call is attempted (contract yugu, section 8; design, section 4, step 7).
public struct RetryPolicy: Sendable {
    /// Attempts in all; the default is 3.
    public var attempts = 3
    /// The wait before the second attempt; each further one doubles; the default is 200 ms.
    public var initialDelay = Duration.milliseconds(200)
    /// The longest wait by doubling; the default is 4 s.
    public var maximumDelay = Duration.seconds(4)
    /// How far a wait varies, as a share of it; the default is 0.3.
    public var jitter = 0.3
    /// The longest `Retry-After` that is obeyed; the default is 30 s.
    public var maximumRetryAfter = Duration.seconds(30)
    /// How long one attempt may take; the default is 120 s.
    public var attemptTimeout = Duration.seconds(120)
    /// How long a call may take with all its attempts and waits; the default is 300 s.
    public var totalTimeout = Duration.seconds(300)

    /// The defaults.
    public init() {}

    /// Whether a status without a code that is known asks for another attempt.
    public static func isRetryable(status: Int) -> Bool {
        [408, 425, 429, 500, 502, 503, 504].contains(status)
    }

    /// The wait before attempt `number` + 1.
    ///
    /// - Parameters:
    ///   - number: Attempts made so far, at least 1.
    ///   - random: Uniform in 0..<1.
    func delay(after number: Int, retryAfter: Duration?, random: Double) -> Duration {
        let doublings = min(number - 1, 16)
        let base = min(self.maximumDelay, self.initialDelay * (1 << doublings))
        let varied = base * (1 - self.jitter + 2 * self.jitter * random)
        guard let retryAfter else { return varied }
        return max(varied, min(retryAfter, self.maximumRetryAfter))
    }
}

/// Decides after each attempt whether there is another one.
///
/// No clock, no I/O.
struct AttemptSchedule: Sendable {
    /// What an attempt came to.
    enum Event: Sendable {
        case final
        case retryable(retryAfter: Duration?)
        case inProgress(retryAfter: Duration?)
        case credentialsOrClock
    }

    /// What comes next.
    enum Next: Equatable, Sendable {
        case finish
        /// Wait, then try again; `isRetry` draws on the account's retry budget.
        case attempt(after: Duration, isRetry: Bool)
    }

    private let policy: RetryPolicy
    private var used = 0
    private var hasSignedAgain = false

    init(policy: RetryPolicy) {
        self.policy = policy
    }

    mutating func next(after event: Event, random: @autoclosure () -> Double) -> Next {
        switch event {
        case .final:
            return .finish
        case .retryable(let retryAfter):
            self.used += 1
            guard self.used < self.policy.attempts else { return .finish }
            let delay = self.policy.delay(after: self.used, retryAfter: retryAfter, random: random())
            return .attempt(after: delay, isRetry: true)
        case .inProgress(let retryAfter):
            // Asking is not attempting: the first request with the key does the work.
            let delay = self.policy.delay(after: self.used + 1, retryAfter: retryAfter, random: random())
            return .attempt(after: delay, isRetry: false)
        case .credentialsOrClock:
            guard !self.hasSignedAgain else { return .finish }
            self.hasSignedAgain = true
            return .attempt(after: .zero, isRetry: false)
        }
    }
}
