/// Calls of the last while, and those among them that are marked, in ten steps: exact enough, and bounded whatever the
/// load.
///
/// A step leaves when the next one begins, so that counting costs an addition.
struct SlidingCounts: Sendable {
    private static let steps = 10

    private struct Step {
        let start: ContinuousClock.Instant
        var calls = 0
        var marked = 0
    }

    private let window: Duration
    private let step: Duration
    private var past: [Step] = []
    private var present: Step?

    /// Calls, as of the last one.
    private(set) var calls = 0
    /// Marked ones among them.
    private(set) var marked = 0

    /// Makes an empty count.
    init(window: Duration) {
        self.window = window
        self.step = window / Self.steps
    }

    /// Counts.
    ///
    /// - Parameters:
    ///   - calls: Calls that began or ended.
    ///   - marked: What is counted beside them: failures, retries.
    mutating func add(calls: Int, marked: Int, at now: ContinuousClock.Instant) {
        self.advance(to: now)
        self.present?.calls += calls
        self.present?.marked += marked
        self.calls += calls
        self.marked += marked
    }

    /// Forgets what is older than the window.
    mutating func advance(to now: ContinuousClock.Instant) {
        if let present {
            // An instant a little before the last one, from another thread, counts with that one.
            guard now - present.start >= self.step else { return }
            self.past.append(present)
        }
        self.present = Step(start: now)
        let gone = self.past.prefix { now - $0.start >= self.window }
        for step in gone {
            self.calls -= step.calls
            self.marked -= step.marked
        }
        self.past.removeFirst(gone.count)
    }
}
