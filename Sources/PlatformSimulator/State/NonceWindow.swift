/// The nonces of the last minutes (contract yugu, section 3.2), each as 64 bits of a keyed hash.
struct NonceWindow: Sendable {
    private let lifetime: Duration
    private let capacity: Int
    private var seen: Set<UInt64> = []
    private var order: [(hash: UInt64, expires: ContinuousClock.Instant)] = []
    private var oldest = 0

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
        while self.oldest < self.order.count, self.order[self.oldest].expires <= now { self.forgetOldest() }
        var hasher = Hasher()
        hasher.combine(tenant)
        hasher.combine(nonce)
        let hash = UInt64(bitPattern: Int64(hasher.finalize()))
        guard !self.seen.contains(hash) else { return false }
        while self.seen.count >= self.capacity { self.forgetOldest() }
        self.seen.insert(hash)
        self.order.append((hash, now + self.lifetime))
        return true
    }

    private mutating func forgetOldest() {
        self.seen.remove(self.order[self.oldest].hash)
        self.oldest += 1
        if self.oldest > 1_024, self.oldest * 2 > self.order.count {
            self.order.removeFirst(self.oldest)
            self.oldest = 0
        }
    }
}
