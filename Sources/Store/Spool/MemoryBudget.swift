internal import Locking

/// A bound on bytes held in memory by many holders.
public final class MemoryBudget: Sendable {
    /// The largest number of bytes.
    public let limit: Int
    private let used = Locked(0)

    /// Makes a budget.
    ///
    /// - Parameter limit: In bytes. The default is 64 MiB.
    public init(limit: Int = 64 << 20) {
        self.limit = limit
    }

    /// The bytes held.
    package var usedBytes: Int {
        self.used.withLock { $0 }
    }

    /// Takes a part of the budget; nil when there is not that much left.
    ///
    /// - Parameter bytes: The size in bytes; 0 for a reservation that grows.
    public func reserve(_ bytes: Int) -> MemoryReservation? {
        self.take(bytes) ? MemoryReservation(budget: self, bytes: bytes) : nil
    }

    fileprivate func take(_ bytes: Int) -> Bool {
        self.used.withLock { used in
            guard bytes <= self.limit - used else {
                return false
            }
            used += bytes
            return true
        }
    }

    fileprivate func giveBack(_ bytes: Int) {
        self.used.withLock { $0 -= bytes }
    }
}

/// A part of a memory budget; it is given back with the last reference.
public final class MemoryReservation: Sendable {
    private let budget: MemoryBudget
    private let size: Locked<Int>

    fileprivate init(budget: MemoryBudget, bytes: Int) {
        self.budget = budget
        self.size = Locked(bytes)
    }

    deinit {
        self.budget.giveBack(self.bytes)
    }

    /// The bytes reserved.
    package var bytes: Int {
        self.size.withLock { $0 }
    }

    /// Takes more; false, and nothing is taken, when there is not that much left.
    public func grow(by bytes: Int) -> Bool {
        guard self.budget.take(bytes) else {
            return false
        }
        self.size.withLock { $0 += bytes }
        return true
    }
}
