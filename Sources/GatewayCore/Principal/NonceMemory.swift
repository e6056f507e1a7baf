internal import Locking

/// The nonces of signed requests in the last 300 s: none is accepted twice (contract yugu, section 3.2).
///
/// Nonces are kept as hashes under a key of this process, 16 bytes each. When all places are taken the oldest is
/// forgotten, and a request is never refused for another one's sake.
final class NonceMemory: Sendable {
    private struct State {
        var known: Set<Int> = []
        /// Ring of hashes, with when they came.
        var ring: [(hash: Int, at: ContinuousClock.Instant)] = []
        var first = 0
    }

    private let capacity: Int
    private let lifetime: Duration
    private let state = Locked(State())

    init(capacity: Int = 65_536, lifetime: Duration) {
        self.capacity = capacity
        self.lifetime = lifetime
    }

    /// Notes a nonce; false when it is known already.
    func insert(_ nonce: String, client: String, at now: ContinuousClock.Instant) -> Bool {
        var hasher = Hasher()
        hasher.combine(client)
        hasher.combine(nonce)
        let hash = hasher.finalize()
        return self.state.withLock { state in
            while state.first < state.ring.count {
                let oldest = state.ring[state.first]
                let isFull = state.ring.count - state.first >= self.capacity
                guard isFull || now - oldest.at >= self.lifetime else { break }
                state.known.remove(oldest.hash)
                state.first += 1
            }
            if state.first > self.capacity / 2 {
                state.ring.removeFirst(state.first)
                state.first = 0
            }
            guard state.known.insert(hash).inserted else { return false }
            state.ring.append((hash, now))
            return true
        }
    }
}
