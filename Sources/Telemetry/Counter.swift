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

/// A number that goes up and down.
public final class Gauge: Sendable {
    private let bits = Atomic<UInt64>((0.0).bitPattern)

    init() {}

    /// Replaces the number.
    public func set(_ value: Double) {
        self.bits.store(value.bitPattern, ordering: .relaxed)
    }

    /// Adds to the number; a negative amount subtracts.
    public func add(_ amount: Double) {
        var old = self.bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (isExchanged, found) = self.bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if isExchanged { return }
            old = found
        }
    }

    /// The number.
    public var value: Double { Double(bitPattern: self.bits.load(ordering: .relaxed)) }
}
