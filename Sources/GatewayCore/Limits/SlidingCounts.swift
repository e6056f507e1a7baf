/// Calls and failures of the last while, in ten steps: exact enough, and bounded whatever the load.
struct SlidingCounts: Sendable {
    private static let steps = 10

    private struct Step {
        let start: ContinuousClock.Instant
        var calls = 0
        var failures = 0
    }

    private let window: Duration
    private var steps: [Step] = []

    /// Makes an empty count.
    init(window: Duration) {
        self.window = window
    }

    /// Calls, as of the last one.
    var calls: Int { self.steps.reduce(0) { $0 + $1.calls } }
    /// Failures among them.
    var failures: Int { self.steps.reduce(0) { $0 + $1.failures } }

    /// Counts a call.
    mutating func add(isFailure: Bool, at now: ContinuousClock.Instant) {
        self.steps.removeAll { now - $0.start >= self.window }
        // An instant a little before the last one, from another thread, counts with that one.
        if self.steps.last.map({ now - $0.start >= self.window / Self.steps }) ?? true {
            self.steps.append(Step(start: now))
        }
        self.steps[self.steps.count - 1].calls += 1
        if isFailure { self.steps[self.steps.count - 1].failures += 1 }
    }
}
