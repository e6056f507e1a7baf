internal import Synchronization

/// How many body bytes all requests together may hold in memory.
final class MemoryBudget: Sendable {
    private let limit: Int
    private let used = Mutex(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes bytes out of the budget, or says no.
    func reserve(_ count: Int) -> Bool {
        self.used.withLock { used in
            guard used + count <= self.limit else { return false }
            used += count
            return true
        }
    }

    func release(_ count: Int) {
        self.used.withLock { $0 -= count }
    }
}
