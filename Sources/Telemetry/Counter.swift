private import Synchronization

/// A number that only grows.
public final class Counter: Sendable {
    private let count = Atomic<UInt64>(0)

    init() {}

    /// Adds to the number.
    public func increment(by amount: UInt64 = 1) {
        self.count.wrappingAdd(amount, ordering: .relaxed)
    }

    /// The number.
    public var value: UInt64 { self.count.load(ordering: .relaxed) }
}
