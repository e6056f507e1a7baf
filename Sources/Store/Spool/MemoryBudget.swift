internal import Locking

/// A bound on bytes held by many holders, and on those of each owner.
public final class MemoryBudget: Sendable {
    private struct Usage {
        var total = 0
        var byOwner: [String: Int] = [:]
    }

    /// The largest number of bytes.
    public let limit: Int
    /// The largest number of bytes of one owner.
    public let ownerLimit: Int
    private let usage = Locked(Usage())

    /// Makes a budget.
    ///
    /// - Parameters:
    ///   - limit: In bytes. The default is 64 MiB.
    ///   - ownerLimit: In bytes. The default is no other limit.
    public init(limit: Int = 64 << 20, ownerLimit: Int = .max) {
        self.limit = limit
        self.ownerLimit = ownerLimit
    }

    /// The bytes held.
    package var usedBytes: Int {
        self.usage.withLock { $0.total }
    }

    /// Takes a part of the budget; nil when there is not that much left.
    ///
    /// - Parameters:
    ///   - bytes: The size in bytes; 0 for a reservation that grows.
    ///   - owner: Whose share it takes; nil for nobody's.
    public func reserve(_ bytes: Int, of owner: String? = nil) -> MemoryReservation? {
        guard self.take(bytes, owner) else { return nil }
        return MemoryReservation(budget: self, bytes: bytes, owner: owner)
    }

    fileprivate func take(_ bytes: Int, _ owner: String?) -> Bool {
        self.usage.withLock { usage in
            guard bytes <= self.limit - usage.total else { return false }
            if let owner {
                let used = usage.byOwner[owner, default: 0]
                guard bytes <= self.ownerLimit - used else { return false }
                if bytes > 0 { usage.byOwner[owner] = used + bytes }
            }
            usage.total += bytes
            return true
        }
    }

    fileprivate func giveBack(_ bytes: Int, _ owner: String?) {
        self.usage.withLock { usage in
            usage.total -= bytes
            guard let owner, let used = usage.byOwner[owner] else { return }
            usage.byOwner[owner] = used > bytes ? used - bytes : nil
        }
    }
}

/// A part of a memory budget; it is given back with the last reference.
public final class MemoryReservation: Sendable {
    private let budget: MemoryBudget
    private let owner: String?
    private let size: Locked<Int>

    fileprivate init(budget: MemoryBudget, bytes: Int, owner: String?) {
        self.budget = budget
        self.owner = owner
        self.size = Locked(bytes)
    }

    deinit {
        self.budget.giveBack(self.bytes, self.owner)
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
        self.budget.giveBack(excess, self.owner)
    }

    /// Takes more; false, and nothing is taken, when there is not that much left.
    public func grow(by bytes: Int) -> Bool {
        guard self.budget.take(bytes, self.owner) else {
            return false
        }
        self.size.withLock { $0 += bytes }
        return true
    }
}
