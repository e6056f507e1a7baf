internal import Store

/// Room in memory that grows ahead of what comes, and is given back with its last copy.
///
/// It knows its size, so that most of what comes asks no budget that others use too.
struct BodyRoom: Sendable {
    private let reservation: MemoryReservation
    /// How much is reserved.
    private(set) var bytes: Int

    /// - Parameter bytes: What the reservation has already.
    init(_ reservation: MemoryReservation, bytes: Int) {
        self.reservation = reservation
        self.bytes = bytes
    }

    /// Reserves what is missing to a size; false, and nothing changes, when there is not that much left.
    ///
    /// - Parameters:
    ///   - step: How much to take at a time while there is enough, so that small pieces need not ask each.
    ///   - limit: What the size is never above.
    mutating func cover(_ bytes: Int, step: Int = 0, atMost limit: Int = .max) -> Bool {
        guard bytes > self.bytes else { return true }
        let missing = bytes - self.bytes
        return self.grow(by: max(step, missing), atMost: limit)
            || step > missing && self.grow(by: missing, atMost: limit)
    }

    /// Gives back what was reserved beyond a size: no more will come.
    mutating func shrink(to bytes: Int) {
        guard bytes < self.bytes else { return }
        self.reservation.shrink(to: bytes)
        self.bytes = bytes
    }

    private mutating func grow(by growth: Int, atMost limit: Int) -> Bool {
        guard self.bytes + growth <= limit, self.reservation.grow(by: growth) else { return false }
        self.bytes += growth
        return true
    }
}
