internal import CLinux
internal import Dispatch
internal import Glibc

/// A Dispatch queue, an epoll set and a heap of deadlines: everything of one connection happens on one of these.
///
/// The epoll descriptor is itself pollable, so one `DispatchSourceRead` stands for all descriptors of the loop; its
/// handler fetches events until there are none. One `DispatchSourceTimer` stands for all deadlines.
///
/// A loop lives until ``stop()``; whoever makes one stops it.
///
/// ## Topics
/// ### From any thread
/// - ``execute(_:)``, ``perform(_:)``, ``run(_:)``, ``stop()``, ``isCurrent``, ``current``, ``executor``
/// ### On the loop
/// - ``register(_:interest:handler:)``, ``modify(_:interest:)``, ``deregister(_:)``
/// - ``schedule(at:_:)``, ``cancel(_:)``, ``atEndOfTurn(_:)``
/// - ``scratch``
///
/// `@unchecked Sendable`: all state is touched on the executor's serial queue only, which preconditions check.
public final class EventLoop: @unchecked Sendable {
    /// The clock of all deadlines; it never goes back.
    public typealias Instant = ContinuousClock.Instant

    // Rounds of epoll_wait per wake-up; beyond it the (level-triggered) source comes again after other blocks.
    private static let roundsPerTurn = 64

    /// The position of this loop among its siblings.
    public let index: Int
    /// The executor of actors and tasks on this loop.
    public let executor: LoopExecutor

    private var set: EpollSet
    private var timers = TimerHeap<@Sendable () -> Void>()
    private var armedFor: Instant?
    private var isStopped = false
    private let source: any DispatchSourceRead
    private let timer: any DispatchSourceTimer
    private let buffer: LoopBuffer
    private var turnTime: Instant

    /// Makes a loop and starts it.
    ///
    /// - Parameters:
    ///   - index: The position among its siblings; it names the queue.
    ///   - scratchBytes: The size of ``scratch`` in bytes. The default is 128 KiB.
    /// - Throws: ``EventLoopError`` when the process has no descriptor left.
    public init(index: Int, scratchBytes: Int = 128 << 10) throws(EventLoopError) {
        let executor = LoopExecutor(label: "speechgate.loop.\(index)")
        let set = try EpollSet()
        self.index = index
        self.executor = executor
        self.set = set
        self.buffer = LoopBuffer(count: scratchBytes)
        self.source = DispatchSource.makeReadSource(fileDescriptor: set.descriptor, queue: executor.queue)
        self.timer = DispatchSource.makeTimerSource(queue: executor.queue)
        self.turnTime = ContinuousClock.now
        executor.loop = self
        let descriptor = set.descriptor
        // Strong references to self on purpose: they end with the cancellation in `stop()`.
        self.source.setEventHandler { @Sendable in
            self.executor.enter { self.turn() }
        }
        self.source.setCancelHandler { @Sendable in
            _ = close(descriptor)
        }
        self.timer.setEventHandler { @Sendable in
            self.executor.enter { self.fire() }
        }
        self.source.activate()
        self.timer.activate()
    }

    // MARK: - Any thread

    /// The loop that the calling thread runs, or nil outside of any.
    public static var current: EventLoop? {
        LoopExecutor.current?.loop
    }

    /// Whether the calling thread runs this loop.
    ///
    /// Any thread.
    public var isCurrent: Bool {
        self.executor.isCurrent
    }

    /// Runs work on the loop, later and in order, never inside of this call.
    ///
    /// Any thread.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        self.executor.submit(.work(work))
    }

    /// Does something on the loop and returns when it is done.
    ///
    /// Any thread.
    public func perform<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            self.execute { continuation.resume(returning: work()) }
        }
    }

    /// Starts a task on the loop, whose continuations stay there.
    ///
    /// Any thread.
    @discardableResult
    public func run(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: self.executor) { await operation() }
    }

    /// Ends the loop: watches and deadlines are dropped without a word to their handlers.
    ///
    /// Any thread; idempotent.
    ///
    /// Tasks that prefer its executor still run to their end.
    public func stop() {
        self.execute { self.tearDown() }
    }

    // MARK: - On the loop

    /// The clock's time now.
    public var now: Instant {
        ContinuousClock.now
    }

    /// The time at which the current round of events or of handed-in work began: cheaper than ``now``, and late by the
    /// work since.
    public var roundTime: Instant {
        self.checkCurrent()
        return self.turnTime
    }

    /// The buffer that everything on this loop reads into.
    public var scratch: LoopBuffer {
        self.checkCurrent()
        return self.buffer
    }

    /// The number of descriptors watched.
    var descriptorCount: Int {
        self.checkCurrent()
        return self.set.count
    }

    /// Watches a descriptor, level-triggered, until it is deregistered.
    ///
    /// - Throws: ``EventLoopError``, code `exhausted`, `badDescriptor` or `stopped`.
    public func register(
        _ descriptor: Int32,
        interest: EpollInterest,
        handler: any EpollHandler
    ) throws(EventLoopError) {
        self.checkCurrent()
        guard !self.isStopped else { throw EventLoopError(.stopped, "the event loop is stopped") }
        try self.set.add(descriptor, interest: interest, handler: handler)
    }

    /// Changes what is wanted of a watched descriptor.
    public func modify(_ descriptor: Int32, interest: EpollInterest) {
        self.checkCurrent()
        guard !self.isStopped else { return }
        self.set.modify(descriptor, interest: interest)
    }

    /// Stops watching a descriptor; to be called before it is closed.
    ///
    /// Events fetched already are not delivered.
    public func deregister(_ descriptor: Int32) {
        self.checkCurrent()
        guard !self.isStopped else { return }
        _ = self.set.remove(descriptor)
    }

    /// Runs work at a deadline, or soon when that has passed.
    @discardableResult
    public func schedule(at deadline: Instant, _ work: @escaping @Sendable () -> Void) -> TimerToken {
        self.checkCurrent()
        guard !self.isStopped else { return TimerToken(slot: .max, generation: 0) }
        let token = self.timers.insert(deadline, work)
        self.arm()
        return token
    }

    /// Drops scheduled work; no effect once it ran.
    public func cancel(_ timer: TimerToken) {
        self.checkCurrent()
        // The Dispatch timer stays as it is: a stale one fires once and finds nothing.
        _ = self.timers.remove(timer)
    }

    /// Runs work once when the run queue is empty, before the loop turns to the next events.
    public func atEndOfTurn(_ work: @escaping () -> Void) {
        self.checkCurrent()
        self.executor.submitAtEndOfTurn(work)
    }

    // MARK: - Turning

    private func checkCurrent() {
        precondition(self.executor.isCurrent, "this belongs on its event loop")
    }

    func refreshTime() {
        self.turnTime = ContinuousClock.now
    }

    private func turn() {
        for _ in 0..<EventLoop.roundsPerTurn {
            guard !self.isStopped else { return }
            let count = self.set.poll()
            guard count > 0 else { return }
            self.refreshTime()
            for index in 0..<count {
                // A handler may deregister a later one of this round, so each is looked up in its turn.
                guard let event = self.set.event(index) else { continue }
                event.handler.ready(event.descriptor, event.events)
            }
            self.executor.drain()
        }
    }

    private func fire() {
        self.armedFor = nil
        // At most what is there now, so that work that schedules itself at once cannot hold the loop.
        for _ in 0..<self.timers.count {
            guard let work = self.timers.popDue(at: self.turnTime) else { break }
            work()
            guard !self.isStopped else { return }
        }
        self.arm()
    }

    /// Sets the Dispatch timer for the earliest deadline unless it fires early enough as it is.
    private func arm() {
        guard let earliest = self.timers.earliest else { return }
        if let armedFor = self.armedFor, armedFor <= earliest { return }
        self.armedFor = earliest
        let delay = max(.zero, ContinuousClock.now.duration(to: earliest))
        let (seconds, attoseconds) = delay.components
        // Rounded up: a timer that fires before its deadline would only be set again. A week is as good as for ever.
        let nanoseconds = min(seconds, 604_800) * 1_000_000_000 + attoseconds / 1_000_000_000 + 1
        self.timer.schedule(deadline: .now() + .nanoseconds(Int(nanoseconds)))
    }

    private func tearDown() {
        guard !self.isStopped else { return }
        self.isStopped = true
        self.source.cancel()
        self.timer.cancel()
        self.timers.removeAll()
        self.executor.loop = nil
        _ = self.set.removeAll()
    }
}
