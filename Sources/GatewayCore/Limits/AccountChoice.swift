/// Chooses the account that carries a call, and the next one when the first certainly did not.
///
/// Accounts are known by their place in the operator's order. One call is one value: it remembers which were tried.
struct AccountChoice: Sendable {
    /// Why an account is passed over.
    enum Obstacle: Equatable, Sendable {
        /// The platform refuses the account, and no probe is due.
        case notReady
        /// The breaker of the account and the route is open.
        case breaker
        /// What we allow ourselves of it in a day is used up.
        case quota
        /// The platform said that it is disabled, or that its quota or balance is used up.
        case switchedOff
    }

    /// The state of an account at the time of asking.
    enum Availability: Equatable, Sendable {
        /// It may carry a call; also an account that is not ready but owed a probe, and a breaker that lets one through.
        case available
        /// It may not, for this time if that is known.
        case unavailable(Obstacle, retryAfter: Duration?)
    }

    /// Who carries the call first.
    enum Decision: Equatable, Sendable {
        case account(Int)
        /// Nobody; with the obstacle that goes first, and when.
        case refused(Obstacle, retryAfter: Duration?)
    }

    /// What the call of one account came to.
    enum Outcome: Equatable, Sendable {
        /// The account's fault; nothing was executed by the attempt that was told so.
        case fault(AccountFault)
        /// It had no slot; nothing was sent.
        case noSlot
        /// Anything else, above all what may have been executed.
        case other
    }

    /// The account that carried the key before, which alone can tell what became of it.
    private let sticky: Int?
    private var tried: Set<Int> = []

    /// Begins a call.
    ///
    /// - Parameter sticky: The account that carried the key before with an unknown outcome; nil for a key unseen.
    init(sticky: Int? = nil) {
        self.sticky = sticky
    }

    /// The account that carries the call first.
    ///
    /// The first in order that may. A key with an unknown outcome goes to its account or nowhere; its quota is not
    /// asked, for a replay is free.
    mutating func first(of accounts: [Availability]) -> Decision {
        if let sticky = self.sticky {
            guard accounts.indices.contains(sticky) else { return .refused(.notReady, retryAfter: nil) }
            switch accounts[sticky] {
            case .available, .unavailable(.quota, _), .unavailable(.switchedOff, _): return .account(sticky)
            case .unavailable(let obstacle, let retryAfter): return .refused(obstacle, retryAfter: retryAfter)
            }
        }
        if let index = self.nextAvailable(of: accounts) { return .account(index) }
        // When nobody else is left, the platform itself tells the client what is wrong, and that it is right again.
        if let index = accounts.indices.first(where: { accounts[$0].isSwitchedOff && !self.tried.contains($0) }) {
            self.tried.insert(index)
            return .account(index)
        }
        return Self.refusal(of: accounts)
    }

    /// The account that tries next, or nil when the call ends with the outcome it had.
    ///
    /// - Parameters:
    ///   - leftDoubt: Whether an earlier attempt of the call may have been executed; no later answer undoes that.
    mutating func next(after outcome: Outcome, leftDoubt: Bool, of accounts: [Availability]) -> Int? {
        guard outcome != .other, !leftDoubt, self.sticky == nil else { return nil }
        return self.nextAvailable(of: accounts)
    }

    private mutating func nextAvailable(of accounts: [Availability]) -> Int? {
        let index = accounts.indices.first { accounts[$0] == .available && !self.tried.contains($0) }
        if let index { self.tried.insert(index) }
        return index
    }

    private static func refusal(of accounts: [Availability]) -> Decision {
        var best: (obstacle: Obstacle, retryAfter: Duration?)?
        for case .unavailable(let obstacle, let retryAfter) in accounts {
            guard let current = best else {
                best = (obstacle, retryAfter)
                continue
            }
            if let retryAfter, current.retryAfter.map({ retryAfter < $0 }) ?? true { best = (obstacle, retryAfter) }
        }
        return .refused(best?.obstacle ?? .notReady, retryAfter: best?.retryAfter)
    }
}

extension AccountChoice.Availability {
    fileprivate var isSwitchedOff: Bool {
        if case .unavailable(.switchedOff, _) = self { true } else { false }
    }
}
