/// So many slots, and a fair queue of those who wait for one.
///
/// While a slot is free nobody waits. Whoever holds the lock around it tells the waiters after letting go of it.
struct FairSlots<Waiter: Sendable>: Sendable {
    typealias Queue = FairQueue<Waiter>

    /// Slots that nobody holds; below zero while more are held than there are since ``resize(to:queueLength:at:)``.
    private(set) var free: Int
    private var count: Int
    private var queue: Queue

    /// Makes free slots.
    ///
    /// - Parameters:
    ///   - count: At least 1.
    ///   - queueLength: Waiters in all; 0 for none.
    init(count: Int, queueLength: Int) {
        self.count = max(1, count)
        self.free = self.count
        self.queue = Queue(capacity: queueLength)
    }

    /// Waiters in all.
    var waitingCount: Int { self.queue.count }

    /// When a waiter's time is over next; ask when a timer went off, not at every turn.
    var nextDeadline: ContinuousClock.Instant? { self.queue.nextDeadline }

    /// Takes a slot, or a place in the queue.
    ///
    /// - Returns: Nil when a slot is taken; else the ticket of the place.
    mutating func acquire(
        _ waiter: Waiter,
        client: String,
        weight: Int = 1,
        deadline: ContinuousClock.Instant
    ) throws(Queue.Refusal) -> Queue.Ticket? {
        if self.take() { return nil }
        return try self.queue.enqueue(waiter, client: client, weight: weight, deadline: deadline)
    }

    /// Takes a slot if one is free.
    mutating func take() -> Bool {
        guard self.free > 0 else { return false }
        self.free -= 1
        return true
    }

    /// Gives a slot back.
    ///
    /// - Returns: The waiter that has it now, and those whose time was over before.
    mutating func release(at now: ContinuousClock.Instant) -> Queue.Turn {
        guard self.free >= 0 else {
            self.free += 1
            return Queue.Turn()
        }
        let turn = self.queue.dequeue(at: now)
        if turn.next == nil { self.free += 1 }
        return turn
    }

    /// Makes more slots, or fewer: those that are held too many end with their calls.
    ///
    /// - Returns: The waiters that have a slot now, and those whose time was over before.
    mutating func resize(to count: Int, queueLength: Int, at now: ContinuousClock.Instant) -> [Queue.Turn] {
        let count = max(1, count)
        self.free += count - self.count
        self.count = count
        self.queue.capacity = queueLength
        var turns: [Queue.Turn] = []
        while self.free > 0, self.waitingCount > 0 {
            let turn = self.queue.dequeue(at: now)
            if turn.next != nil { self.free -= 1 }
            turns.append(turn)
        }
        return turns
    }

    /// Takes a waiter out of the queue.
    ///
    /// - Returns: Nil when it has a slot already, which it has to release, or has left.
    mutating func leave(_ ticket: Queue.Ticket) -> Waiter? {
        self.queue.remove(ticket)
    }

    /// Takes out all whose time is over.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [Waiter] {
        self.queue.removeExpired(at: now)
    }
}
