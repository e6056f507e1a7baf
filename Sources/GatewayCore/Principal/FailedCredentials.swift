internal import Locking

/// Slows whoever guesses credentials: an address whose guesses are used up is not heard for a while.
///
/// Only credentials that cannot be genuine count: not a missing one, nor one of ours that has ended, so that a network
/// of many apps is not shut out because their tokens end in the same minute. And what has been let in lately is heard
/// from any address: nobody shuts others out of a network, or of a proxy, by guessing there.
struct FailedCredentials: Sendable {
    /// Addresses that are remembered.
    static let addresses = 10_000
    /// Credentials that are remembered.
    static let proven = 16_384

    private let buckets = Locked(TokenBuckets(capacity: Self.addresses))
    private let proven = RecentHashes(capacity: Self.proven, lifetime: .seconds(86_400))
    private let rate: TokenBucket.Rate

    /// - Parameter burst: Failures at once; one a second comes back.
    init(burst: Int) {
        self.rate = TokenBucket.Rate(1, per: .seconds(1), burst: burst)
    }

    /// - Parameter credential: A bearer credential, or a signing client's public key.
    /// - Throws: 429/42900 while the address has no guess left, for what was not let in lately.
    func check(_ credential: String, from address: String, at now: ContinuousClock.Instant) throws(GatewayError) {
        let verdict = self.buckets.withLock { buckets in
            buckets.count == 0
                ? .allowed : buckets.verdict(for: ClientAddress.subscriber(of: address), rate: self.rate, at: now)
        }
        guard case .refused(let wait) = verdict, !self.proven.contains(credential, at: now) else { return }
        throw GatewayError(
            status: 429,
            code: .tooManyRequests,
            origin: .client,
            message: "Too many invalid credentials came from this address; correct the credential and wait.",
            reason: LimitRefusal.invalidCredentials.rawValue,
            retryAfter: Int(wait.components.seconds) + 1
        )
    }

    /// Counts a failure.
    func note(_ address: String, at now: ContinuousClock.Instant) {
        self.buckets.withLock { buckets in
            _ = buckets.take(from: ClientAddress.subscriber(of: address), rate: self.rate, at: now)
        }
    }

    /// Remembers what was let in.
    func letIn(_ credential: String, at now: ContinuousClock.Instant) {
        _ = self.proven.insert(credential, at: now)
    }
}
