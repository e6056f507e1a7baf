internal import Locking

/// A bound on bytes held by many holders, and on those of each owner.
public final class MemoryBudget: Sendable {
    /// Whose part of a budget a reservation takes.
    public struct Share: Hashable, Sendable {
        /// Who holds it, by a name that is one owner's in this budget.
        public let owner: String
        /// The largest number of bytes that the owner holds.
        public let limit: Int

        /// Takes a name and a limit in bytes.
        public init(of owner: String, atMost limit: Int) {
            self.owner = owner
            self.limit = limit
        }
    }

    private struct Usage {
        var total = 0
        var byOwner: [String: Int] = [:]
    }

    /// The largest number of bytes.
    public let limit: Int
    private let usage = Locked(Usage())

    /// Makes a budget.
    ///
    /// - Parameter limit: In bytes. The default is 64 MiB.
    public init(limit: Int = 64 << 20) {
        self.limit = limit
    }

    /// The bytes held.
    package var usedBytes: Int {
        self.usage.withLock { $0.total }
    }

    /// Takes a part of the budget; nil when the budget, or one of the shares, has not that much left.
    ///
    /// - Parameters:
    ///   - bytes: The size in bytes; 0 for a reservation that grows.
    ///   - shares: What it counts against beside the budget; all of them at once, or none.
    public func reserve(_ bytes: Int, of shares: [Share] = []) -> MemoryReservation? {
        guard self.take(bytes, shares) else { return nil }
        return MemoryReservation(budget: self, bytes: bytes, shares: shares)
    }

    fileprivate func take(_ bytes: Int, _ shares: [Share]) -> Bool {
        self.usage.withLock { usage in
            guard bytes <= self.limit - usage.total else { return false }
            for share in shares where bytes > share.limit - usage.byOwner[share.owner, default: 0] { return false }
            // Nobody is remembered for nothing.
            guard bytes > 0 else { return true }
            usage.total += bytes
            for share in shares { usage.byOwner[share.owner, default: 0] += bytes }
            return true
        }
    }

    fileprivate func giveBack(_ bytes: Int, _ shares: [Share]) {
        guard bytes > 0 else { return }
        self.usage.withLock { usage in
            usage.total -= bytes
            for share in shares {
                let left = usage.byOwner[share.owner, default: 0] - bytes
                usage.byOwner[share.owner] = left > 0 ? left : nil
            }
        }
    }
}

/// A part of a memory budget; it is given back with the last reference.
public final class MemoryReservation: Sendable {
    private let budget: MemoryBudget
    private let shares: [MemoryBudget.Share]
    private let size: Locked<Int>

    fileprivate init(budget: MemoryBudget, bytes: Int, shares: [MemoryBudget.Share]) {
        self.budget = budget
        self.shares = shares
        self.size = Locked(bytes)
    }

    deinit {
        self.budget.giveBack(self.bytes, self.shares)
    }

    /// The bytes reserved.
    package var bytes: Int {
        self.size.withLock { $0 }
    }

    /// Gives back what is above a number of bytes.
    public func shrink(to bytes: Int) {
        let excess = self.size.withLock { size in
            defer { size = min(size, bytes) }
            return max(0, size - bytes)
        }
        self.budget.giveBack(excess, self.shares)
    }

    /// Takes more; false, and nothing is taken, when there is not that much left.
    public func grow(by bytes: Int) -> Bool {
        guard self.budget.take(bytes, self.shares) else {
            return false
        }
        self.size.withLock { $0 += bytes }
        return true
    }
}
