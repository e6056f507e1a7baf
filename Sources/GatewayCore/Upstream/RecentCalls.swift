/// The retry budget of an account: within 10 s, retries are at most 20 % of its calls, and 10 in any case.
///
/// It keeps a platform that is in trouble from being asked three times as often as usual.
struct RecentCalls: Sendable {
    private static let minimumRetries = 10
    private static let share = 0.2

    private var counts = SlidingCounts(window: .seconds(10))

    mutating func noteCall(at now: ContinuousClock.Instant) {
        self.counts.add(calls: 1, marked: 0, at: now)
    }

    mutating func takeRetry(at now: ContinuousClock.Instant) -> Bool {
        self.counts.advance(to: now)
        let allowed = max(Self.minimumRetries, Int(Double(self.counts.calls) * Self.share))
        guard self.counts.marked < allowed else { return false }
        self.counts.add(calls: 0, marked: 1, at: now)
        return true
    }
}
