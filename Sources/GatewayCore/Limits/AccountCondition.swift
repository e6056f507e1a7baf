/// What a platform has said about one of our accounts, and what follows for the next call.
struct AccountCondition: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// How things stand.
    enum State: String, Sendable {
        /// Nothing speaks against it.
        case usable
        /// Its credentials are refused.
        case refused
        /// The platform's operator has switched it off.
        case disabled
        /// Its quota or balance is used up.
        case exhausted
    }

    /// While an account is refused, one call in this time finds out whether it still is.
    private static let probeInterval = Duration.seconds(10)

    private var fault: AccountFault?
    // The next probe of refused credentials, or the end of exhaustion; nil for never.
    private var until: Instant?

    /// How things stand; exhaustion ends by itself.
    func state(at now: Instant) -> State {
        switch self.fault {
        case nil: .usable
        case .credentials: .refused
        case .disabled: .disabled
        case .exhausted, .exhaustedToday: self.until.map { now < $0 } ?? true ? .exhausted : .usable
        }
    }

    /// Whether credentials are accepted, as far as is known.
    var isAccepted: Bool { self.fault != .credentials }

    /// Whether a call may find out about refused credentials now.
    func isProbeDue(at now: Instant) -> Bool {
        self.fault == .credentials && self.until.map { $0 <= now } ?? true
    }

    /// How long an account is out of use, as far as is known.
    func remaining(at now: Instant) -> Duration? {
        self.until.map { max(.zero, $0 - now) }
    }

    /// Whether a call may be sent: always with accepted credentials, else one call in ten seconds.
    mutating func admit(at now: Instant) -> Bool {
        guard !self.isAccepted else { return true }
        guard self.isProbeDue(at: now) else { return false }
        self.until = now + Self.probeInterval
        return true
    }

    /// Takes what the platform said.
    ///
    /// - Parameter exhaustedFor: How long exhaustion lasts.
    /// - Returns: Whether that is news.
    mutating func note(_ fault: AccountFault, exhaustedFor: Duration, at now: Instant) -> Bool {
        let last = self.state(at: now)
        self.fault = fault
        self.until =
            switch fault {
            case .credentials: now + Self.probeInterval
            case .disabled: nil
            case .exhausted, .exhaustedToday: now + exhaustedFor
            }
        return self.state(at: now) != last
    }

    /// Takes an answer that speaks for the account.
    ///
    /// - Parameter isOfAll: Whether it proves quota and balance too; else it proves credentials alone.
    /// - Returns: Whether that is news.
    mutating func noteAcceptance(ofAll isOfAll: Bool, at now: Instant) -> Bool {
        guard isOfAll || self.fault == .credentials else { return false }
        defer {
            self.fault = nil
            self.until = nil
        }
        return self.state(at: now) != .usable
    }
}
