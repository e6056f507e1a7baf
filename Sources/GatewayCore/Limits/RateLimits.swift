/// The rates of all clients and of their users (design, section 4, step 3).
///
/// Clients are the operator's and as many as there are. Users are names that a client makes up, so each client has a
/// table of its own for them: a flood of names costs at most one table of ``usersPerClient`` buckets (some 250 bytes
/// each) and touches no limit of another client.
struct RateLimits: Sendable {
    /// The rates of one client; nil is no limit.
    struct Rates: Sendable {
        /// Of all its calls together.
        var client: TokenBucket.Rate?
        /// Of each of its users.
        var user: TokenBucket.Rate?
    }

    /// Whose limit it is.
    enum Party: String, Sendable {
        case client
        case user
    }

    /// Whether a call may go on.
    enum Verdict: Equatable, Sendable {
        case allowed
        /// The limit that holds the call up longest.
        case refused(by: Party, retryAfter: Duration)
    }

    private static let clients = 65_536

    /// The most users of one client whose buckets are kept.
    let usersPerClient: Int
    private var clientBuckets = TokenBuckets(capacity: Self.clients)
    private var userBuckets: [String: TokenBuckets] = [:]

    /// Makes empty tables.
    init(usersPerClient: Int = 4096) {
        self.usersPerClient = usersPerClient
    }

    /// Counts a call against both limits, or against neither when one refuses it.
    ///
    /// So a user beyond its limit does not use up its client's, and a client beyond its own makes no buckets.
    mutating func take(client: String, user: String?, rates: Rates, at now: ContinuousClock.Instant) -> Verdict {
        var refusal: (party: Party, retryAfter: Duration)?
        if let rate = rates.client,
            case .refused(let wait) = self.clientBuckets.verdict(for: client, rate: rate, at: now)
        {
            refusal = (.client, wait)
        }
        if let rate = rates.user, let user, let users = self.userBuckets[client],
            case .refused(let wait) = users.verdict(for: user, rate: rate, at: now), wait > refusal?.retryAfter ?? .zero
        {
            refusal = (.user, wait)
        }
        if let refusal { return .refused(by: refusal.party, retryAfter: refusal.retryAfter) }
        if let rate = rates.client { _ = self.clientBuckets.take(from: client, rate: rate, at: now) }
        if let rate = rates.user, let user {
            _ = self.userBuckets[client, default: TokenBuckets(capacity: self.usersPerClient)]
                .take(from: user, rate: rate, at: now)
        }
        return .allowed
    }
}
