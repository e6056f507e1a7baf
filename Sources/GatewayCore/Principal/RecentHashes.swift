internal import Locking

/// Which of many texts came lately: a bounded memory of hashes, oldest forgotten first.
///
/// Eight bytes a text, under a key of this process. When all places are taken the oldest is forgotten: nothing is refused
/// for another one's sake.
final class RecentHashes: Sendable {
    private struct State {
        var known: Set<Int> = []
        /// In the order in which they came.
        var ring: [(hash: Int, at: ContinuousClock.Instant)] = []
        var first = 0
    }

    private let capacity: Int
    private let lifetime: Duration
    private let state = Locked(State())

    init(capacity: Int, lifetime: Duration) {
        self.capacity = capacity
        self.lifetime = lifetime
    }

    /// Notes a text of an owner; false when it is known already.
    func insert(_ text: String, of owner: String = "", at now: ContinuousClock.Instant) -> Bool {
        let hash = Self.hash(text, owner)
        return self.state.withLock { state in
            self.forget(&state, at: now, places: 1)
            guard state.known.insert(hash).inserted else { return false }
            state.ring.append((hash, now))
            return true
        }
    }

    /// Whether a text of an owner is known.
    func contains(_ text: String, of owner: String = "", at now: ContinuousClock.Instant) -> Bool {
        let hash = Self.hash(text, owner)
        return self.state.withLock { state in
            self.forget(&state, at: now, places: 0)
            return state.known.contains(hash)
        }
    }

    private func forget(_ state: inout State, at now: ContinuousClock.Instant, places: Int) {
        while state.first < state.ring.count {
            let oldest = state.ring[state.first]
            let isFull = state.ring.count - state.first + places > self.capacity
            guard isFull || now - oldest.at >= self.lifetime else { break }
            state.known.remove(oldest.hash)
            state.first += 1
        }
        // Moved together once in a while, so that a place costs no more than a constant.
        if state.first > self.capacity / 2 {
            state.ring.removeFirst(state.first)
            state.first = 0
        }
    }

    private static func hash(_ text: String, _ owner: String) -> Int {
        var hasher = Hasher()
        hasher.combine(owner)
        hasher.combine(text)
        return hasher.finalize()
    }
}
