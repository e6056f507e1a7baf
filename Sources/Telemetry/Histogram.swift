/// Counts observations by size, in ranges that are fixed from the start.
///
/// Without a lock: a reading taken meanwhile may hold an observation in its range and not yet in the sum, never half of
/// one.
public final class Histogram: Sendable {
    /// The upper ends of the ranges; what is larger than all of them is counted too.
    public struct Bounds: Sendable {
        /// Ascending, in the unit of observations.
        fileprivate let upper: [UInt64]
        /// How many of them make one of what the text shows.
        fileprivate let scale: Double

        /// For spans of time, which the text shows in seconds.
        public static func durations(_ upper: [Duration]) -> Bounds {
            Bounds(upper: upper.map { UInt64(clamping: $0.wholeNanoseconds) }, scale: 1e9)
        }

        /// For numbers of things.
        public static func counts(_ upper: [UInt64]) -> Bounds {
            Bounds(upper: upper, scale: 1)
        }
    }

    /// What the counts are at one moment.
    struct Reading {
        /// The upper ends of the ranges, and how many observations are not larger.
        let buckets: [(bound: Double, count: UInt64)]
        /// All observations.
        let count: UInt64
        let sum: Double
    }

    private let bounds: Bounds
    // One more than bounds: the last is for what is larger.
    private let buckets: [Counter]
    private let sum = Counter()

    /// Makes an empty histogram.
    public init(_ bounds: Bounds) {
        precondition(zip(bounds.upper, bounds.upper.dropFirst()).allSatisfy(<), "bounds ascend")
        self.bounds = bounds
        self.buckets = (0...bounds.upper.count).map { _ in Counter() }
    }

    /// Counts a span of time.
    public func observe(_ duration: Duration) {
        self.observe(UInt64(clamping: duration.wholeNanoseconds))
    }

    /// Counts a number.
    public func observe(_ value: UInt64) {
        // A few comparisons one after the other are faster than a clever search.
        var index = 0
        while index < self.bounds.upper.count, value > self.bounds.upper[index] { index += 1 }
        self.buckets[index].increment()
        self.sum.increment(by: value)
    }

    var reading: Reading {
        var count: UInt64 = 0
        var buckets: [(bound: Double, count: UInt64)] = []
        for (bound, bucket) in zip(self.bounds.upper, self.buckets) {
            count += bucket.value
            buckets.append((Double(bound) / self.bounds.scale, count))
        }
        count += self.buckets[self.bounds.upper.count].value
        return Reading(buckets: buckets, count: count, sum: Double(self.sum.value) / self.bounds.scale)
    }
}

extension Duration {
    /// Whole nanoseconds, rounded towards zero.
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = self.components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
