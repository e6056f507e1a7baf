/// The retry budget of an account: within 10 s, retries are at most 20 % of its calls, and 10 in any case.
///
/// It keeps a platform that is in trouble from being asked three times as often as usual.
struct RecentCalls: Sendable {
    private static let window = Duration.seconds(10)
    private static let minimumRetries = 10
    private static let share = 0.2

    // One bucket a second: exact enough, and bounded whatever the load.
    private struct Bucket {
        var second: Int64
        var calls = 0
        var retries = 0
    }

    private var buckets: [Bucket] = []
    private var origin: ContinuousClock.Instant?

    mutating func noteCall(at now: ContinuousClock.Instant) {
        let index = self.bucket(at: now)
        self.buckets[index].calls += 1
    }

    mutating func takeRetry(at now: ContinuousClock.Instant) -> Bool {
        let index = self.bucket(at: now)
        let calls = self.buckets.reduce(0) { $0 + $1.calls }
        let retries = self.buckets.reduce(0) { $0 + $1.retries }
        guard retries < max(Self.minimumRetries, Int(Double(calls) * Self.share)) else { return false }
        self.buckets[index].retries += 1
        return true
    }

    private mutating func bucket(at now: ContinuousClock.Instant) -> Int {
        let origin = self.origin ?? now
        self.origin = origin
        let second = (now - origin).components.seconds
        self.buckets.removeAll { $0.second <= second - Self.window.components.seconds }
        if self.buckets.last?.second != second { self.buckets.append(Bucket(second: second)) }
        return self.buckets.count - 1
    }
}
