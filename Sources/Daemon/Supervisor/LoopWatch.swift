internal import Dispatch
internal import EventLoop
internal import Locking
internal import Synchronization
internal import Telemetry

/// Sees whether the event loops turn: each is asked again and again for a sign of life.
///
/// A loop that is stuck in a handler answers nobody, while the rest of the process looks well. So the service manager's
/// watchdog is fed from here and from nowhere else.
///
/// `@unchecked Sendable`: the timer is made and cancelled on `queue`; all else is behind the lock.
final class LoopWatch: @unchecked Sendable {
    private struct State {
        /// When the round that is under way began, and how many loops have not answered it.
        var asked: ContinuousClock.Instant?
        var missing = 0
        /// The longest answer of the round that was asked last.
        var lag = Duration.zero
        /// The same of the last finished round.
        var finished = Duration.zero
        var isStuck = false
    }

    /// Without an answer for so long, a loop does not turn.
    private static let patience = Duration.seconds(5)

    private let loops: [EventLoop]
    private let interval: Duration
    private let patience: Duration
    private let lagLimit: Duration
    private let onTurn: @Sendable () -> Void
    private let logger: Logger
    private let queue = DispatchQueue(label: "speechgate.watch")
    private let state = Locked(State())
    private let late = Atomic(false)
    private var timer: (any DispatchSourceTimer)?

    /// - Parameters:
    ///   - watchdog: In what time a sign of life is due; nil when nobody waits for one.
    ///   - patience: After what time a loop counts as stuck.
    ///   - lagLimit: How late loops may be.
    ///   - onTurn: Called when all loops have answered.
    init(
        loops: [EventLoop],
        watchdog: Duration?,
        patience: Duration = LoopWatch.patience,
        lagLimit: Duration = LoopWatch.patience,
        logger: Logger,
        onTurn: @escaping @Sendable () -> Void
    ) {
        self.loops = loops
        // Four signs in the time of one: the manager must not kill what was a little late.
        self.interval = min(.seconds(1), watchdog.map { $0 / 4 } ?? .seconds(1))
        self.patience = patience
        self.lagLimit = lagLimit
        self.logger = logger
        self.onTurn = onTurn
    }

    /// Begins to ask.
    func start() {
        self.queue.async {
            let timer = DispatchSource.makeTimerSource(queue: self.queue)
            let nanoseconds = Int(self.interval.wholeNanoseconds)
            timer.setEventHandler { [weak self] in self?.ask() }
            timer.schedule(deadline: .now(), repeating: .nanoseconds(nanoseconds), leeway: .milliseconds(10))
            timer.activate()
            self.timer = timer
        }
    }

    /// Ends it.
    func stop() async {
        await withCheckedContinuation { continuation in
            self.queue.async {
                self.timer?.cancel()
                self.timer = nil
                continuation.resume()
            }
        }
    }

    /// Whether every loop answered lately.
    var isTurning: Bool {
        let (asked, missing) = self.state.withLock { ($0.asked, $0.missing) }
        guard let asked, missing > 0 else { return true }
        return ContinuousClock.now - asked < self.patience
    }

    /// How long the slowest loop took to answer last; grows while one does not.
    var lag: Duration {
        self.state.withLock { state in
            guard let asked = state.asked, state.missing > 0 else { return state.lag }
            return max(state.lag, ContinuousClock.now - asked)
        }
    }

    /// Whether the slowest loop was later than it may be, in two rounds that follow each other: once happens to a machine
    /// that was held up, twice to a process that has more work than it can do.
    var isLate: Bool { self.late.load(ordering: .relaxed) }

    /// - Parameter lag: What the round that is under way, or has just ended, has come to.
    private func judge(_ lag: Duration, after finished: Duration) {
        self.late.store(Self.isLate(lag, after: finished, limit: self.lagLimit), ordering: .relaxed)
    }

    /// Whether both of two rounds were later than they may be.
    static func isLate(_ lag: Duration, after before: Duration, limit: Duration) -> Bool {
        min(lag, before) >= limit
    }

    private func ask() {
        let now = ContinuousClock.now
        let (isAnswered, isNews, waited) = self.state.withLock { state in
            let waited = state.asked.map { now - $0 } ?? .zero
            guard state.missing == 0 else {
                if waited >= self.lagLimit { self.judge(waited, after: state.finished) }
                let isNews = !state.isStuck && waited >= self.patience
                if isNews { state.isStuck = true }
                return (false, isNews, waited)
            }
            let isNews = state.isStuck
            state.isStuck = false
            state.asked = now
            state.missing = self.loops.count
            state.lag = .zero
            return (true, isNews, waited)
        }
        guard isAnswered else {
            if isNews {
                self.logger.error("an event loop does not turn", ["duration_ms": .milliseconds(waited)])
            }
            return
        }
        if isNews { self.logger.notice("all event loops turn again") }
        self.onTurn()
        for loop in self.loops {
            loop.execute {
                let lag = ContinuousClock.now - now
                self.state.withLock { state in
                    state.missing -= 1
                    state.lag = max(state.lag, lag)
                    guard state.missing == 0 else { return }
                    self.judge(state.lag, after: state.finished)
                    state.finished = state.lag
                }
            }
        }
    }
}
