/// The nonces of the last minutes (contract yugu, section 3.2), each as 64 bits of a keyed hash.
struct NonceWindow: Sendable {
    private let lifetime: Duration
    private let capacity: Int
    private var seen: Set<UInt64> = []
    private var order = AgeQueue<(hash: UInt64, expires: ContinuousClock.Instant)>()

    /// An empty window.
    ///
    /// - Parameters:
    ///   - lifetime: How long a nonce is refused when it comes again.
    ///   - capacity: The most nonces; the oldest are forgotten early.
    init(lifetime: Duration, capacity: Int = 2_000_000) {
        self.lifetime = lifetime
        self.capacity = capacity
    }

    /// Remembers a nonce; false when the tenant has used it before.
    mutating func insert(_ nonce: String, tenant: String, now: ContinuousClock.Instant) -> Bool {
        while let oldest = self.order.first, oldest.expires <= now { self.forgetOldest() }
        var hasher = Hasher()
        hasher.combine(tenant)
        hasher.combine(nonce)
        let hash = UInt64(bitPattern: Int64(hasher.finalize()))
        guard !self.seen.contains(hash) else { return false }
        if self.seen.count >= self.capacity { self.forgetOldest() }
        self.seen.insert(hash)
        self.order.append((hash, now + self.lifetime))
        return true
    }

    private mutating func forgetOldest() {
        if let oldest = self.order.popFirst() { self.seen.remove(oldest.hash) }
    }
}
