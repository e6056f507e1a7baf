internal import CLinux
internal import Dispatch

/// Runs jobs on the serial queue of a loop: executor of actors and of tasks at once.
///
/// A job that is enqueued on the loop itself goes to a local run queue that is drained before the loop turns again;
/// only work from other threads costs a wake-up, and all that comes until the loop wakes shares one.
///
/// A task needs this executor as its preference, or its continuations resume on the global pool and hop back.
///
/// `@unchecked Sendable`: the run queue is touched on `queue` only; the inbox, where others put work, has a lock.
public final class LoopExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
    enum Item: Sendable {
        case job(UnownedJob)
        case work(@Sendable () -> Void)
    }

    // One turn runs at most this many items before other blocks of the queue get their chance.
    private static let itemsPerTurn = 4096
    // Items that make new ones, again and again, do not put off what waits for the end of the turn for longer than this.
    private static let batchesPerTurn = 16

    let queue: DispatchQueue
    // Set at the start of the loop and cleared when it stops; on `queue` only, save for the start.
    var loop: EventLoop?

    private var items: [Item] = []
    private var spare: [Item] = []
    private var endOfTurn: [() -> Void] = []
    // Since what waits for the end of the turn was last run.
    private var batches = 0
    private let inbox = Inbox<Item>()

    init(label: String) {
        self.queue = DispatchQueue(label: label)
        self.items.reserveCapacity(64)
        self.spare.reserveCapacity(64)
    }

    /// Whether the calling thread runs this executor's loop just now.
    ///
    /// Any thread.
    public var isCurrent: Bool {
        clinux_current_loop() == self.identity
    }

    private var identity: UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque()
    }

    /// The executor whose loop the calling thread runs.
    static var current: LoopExecutor? {
        guard let pointer = clinux_current_loop() else { return nil }
        return Unmanaged<LoopExecutor>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Queues a job; any thread.
    ///
    /// What comes from the loop itself is run before the loop turns again.
    public func enqueue(_ job: consuming ExecutorJob) {
        self.submit(.job(UnownedJob(job)))
    }

    /// This executor as the one of actors.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// This executor as the preference of tasks.
    public func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        UnownedTaskExecutor(ordinary: self)
    }

    /// Traps outside of the loop.
    public func checkIsolated() {
        precondition(self.isCurrent, "this runs outside of its event loop")
    }

    /// Whether the calling thread runs the loop; never unknown.
    public func isIsolatingCurrentContext() -> Bool? {
        self.isCurrent
    }

    func submit(_ item: Item) {
        if self.isCurrent {
            self.items.append(item)
            return
        }
        if self.inbox.put(item) {
            self.queue.async { self.enter { self.takeInbox() } }
        }
    }

    func submitAtEndOfTurn(_ work: @escaping () -> Void) {
        self.endOfTurn.append(work)
    }

    /// Wraps everything that the queue runs: marks the thread, and drains the run queue afterwards.
    func enter(_ work: () -> Void) {
        clinux_set_current_loop(self.identity)
        self.loop?.refreshTime()
        work()
        self.drain()
        if !self.items.isEmpty || !self.endOfTurn.isEmpty {
            // Out of turns, not out of work: without a block of its own the rest would wait for the next event.
            self.queue.async { self.enter {} }
        }
        clinux_set_current_loop(nil)
    }

    /// Runs the run queue, then what waits for the end of the turn, until neither has work or the turn is long enough.
    func drain() {
        var left = LoopExecutor.itemsPerTurn
        self.takeInbox()
        while left > 0 {
            if !self.items.isEmpty, self.batches < LoopExecutor.batchesPerTurn || self.endOfTurn.isEmpty {
                self.batches += 1
                var batch = self.items
                self.items = self.spare
                self.spare = []
                for item in batch {
                    self.run(item)
                }
                left -= batch.count
                batch.removeAll(keepingCapacity: true)
                self.spare = batch
            } else if !self.endOfTurn.isEmpty {
                left -= self.runEndOfTurn()
            } else {
                return
            }
        }
        // Out of turns: what waits for the end of this one has waited long enough.
        _ = self.runEndOfTurn()
    }

    /// Runs what waits for the end of the turn; how much that was.
    private func runEndOfTurn() -> Int {
        self.batches = 0
        let batch = self.endOfTurn
        self.endOfTurn = []
        for work in batch {
            work()
        }
        return batch.count
    }

    private func takeInbox() {
        let taken = self.inbox.takeAll()
        if !taken.isEmpty {
            self.items.append(contentsOf: taken)
        }
    }

    private func run(_ item: Item) {
        switch item {
        case .job(let job):
            job.runSynchronously(
                isolatedTo: self.asUnownedSerialExecutor(),
                taskExecutor: self.asUnownedTaskExecutor()
            )
        case .work(let work):
            work()
        }
    }
}
