private import Locking

/// Counts observations by size.
public final class Histogram: Sendable {
    /// Bounds for durations in seconds, from half a millisecond to half a minute.
    public static let durationBounds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
    ]

    /// What has been observed.
    struct Snapshot: Sendable {
        /// Observations at or under each bound and above the one before; the last entry is above all bounds.
        var counts: [UInt64]
        var sum = 0.0
    }

    let bounds: [Double]
    private let state: Locked<Snapshot>

    init(bounds: [Double]) {
        precondition(bounds.allSatisfy(\.isFinite), "bounds are finite")
        precondition(zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }, "bounds ascend")
        self.bounds = bounds
        self.state = Locked(Snapshot(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    /// Adds an observation; NaN is none.
    public func observe(_ value: Double) {
        guard !value.isNaN else { return }
        let index = self.bounds.firstIndex { value <= $0 } ?? self.bounds.count
        self.state.withLock { state in
            state.counts[index] += 1
            state.sum += value
        }
    }

    /// Adds a duration, in seconds.
    public func observe(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.observe(Double(seconds) + Double(attoseconds) / 1e18)
    }

    /// How many observations there were.
    public var count: UInt64 { self.snapshot.counts.reduce(0, +) }

    var snapshot: Snapshot { self.state.withLock { $0 } }
}
