internal import Locking

/// The calls that one platform account may carry at a time, with a bounded queue that is fair between clients.
final class AccountSlots: Sendable {
    /// Why no slot was given.
    enum Refusal: Error, Sendable {
        case queueFull
        case timedOut
        case cancelled
    }

    private typealias Waiter = Waiting<Refusal?>

    private struct State {
        var slots: FairSlots<Waiter>
        var queueWait: Duration
    }

    private let state: Locked<State>

    init(concurrency: Int, queueLength: Int, queueWait: Duration) {
        let slots = FairSlots<Waiter>(count: concurrency, queueLength: queueLength)
        self.state = Locked(State(slots: slots, queueWait: queueWait))
    }

    /// The calls that wait now.
    var waitingCount: Int { self.state.withLock { $0.slots.waitingCount } }

    /// Takes a slot, waiting for one if it must; give it back with ``release(at:)``.
    ///
    /// - Parameters:
    ///   - weight: The client's share of the turns.
    ///   - limit: The longest wait that still makes sense to the caller.
    /// - Returns: Whether it had to wait.
    @discardableResult
    func acquire(
        client: String,
        weight: Int = 1,
        within limit: Duration,
        clock: GatewayClock
    ) async throws(Refusal) -> Bool {
        guard !self.state.withLock({ $0.slots.take() }) else { return false }
        let waiting = Waiter()
        let now = clock.now()
        let (ticket, wait) = try self.state.withLock { (state) throws(Refusal) in
            let wait = min(state.queueWait, limit)
            do {
                let ticket = try state.slots.acquire(waiting, client: client, weight: weight, deadline: now + wait)
                return (ticket, wait)
            } catch {
                throw .queueFull
            }
        }
        guard let ticket else { return false }
        let deadline = Task {
            try? await clock.sleep(wait)
            self.leave(ticket, with: .timedOut)
        }
        let refusal = await withTaskCancellationHandler {
            await waiting.wait()
        } onCancel: {
            self.leave(ticket, with: .cancelled)
        }
        deadline.cancel()
        if let refusal { throw refusal }
        return true
    }

    /// Takes a slot if one is free; give it back with ``release(at:)``.
    func take() -> Bool {
        self.state.withLock { $0.slots.take() }
    }

    /// Gives a slot back; whose turn it is gets it.
    func release(at now: ContinuousClock.Instant) {
        self.tell(self.state.withLock { $0.slots.release(at: now) })
    }

    /// Other limits, which hold for the next call: what runs and waits goes on.
    func change(concurrency: Int, queueLength: Int, queueWait: Duration, at now: ContinuousClock.Instant) {
        let turns = self.state.withLock { state in
            state.queueWait = queueWait
            return state.slots.resize(to: concurrency, queueLength: queueLength, at: now)
        }
        for turn in turns { self.tell(turn) }
    }

    private func tell(_ turn: FairSlots<Waiter>.Queue.Turn) {
        turn.next?.resolve(nil)
        for waiting in turn.expired { waiting.resolve(.timedOut) }
    }

    /// Takes a call out of the queue; one that has left it has its slot, or its refusal.
    private func leave(_ ticket: FairSlots<Waiter>.Queue.Ticket, with refusal: Refusal) {
        self.state.withLock { $0.slots.leave(ticket) }?.resolve(refusal)
    }
}
