internal import Locking

/// The calls that one platform account may carry at a time, with a bounded queue that is fair between clients.
final class AccountSlots: Sendable {
    /// Why no slot was given.
    enum Refusal: Error, Sendable {
        case queueFull
        case timedOut
        case cancelled
    }

    private struct State {
        var free: Int
        var waiting = 0
        /// Clients that wait, in the order of their turns; each one's calls in order of arrival.
        var turns: [String] = []
        var queues: [String: [Waiting<Refusal?>]] = [:]
    }

    private let queueLength: Int
    private let queueWait: Duration
    private let state: Locked<State>

    init(concurrency: Int, queueLength: Int, queueWait: Duration) {
        self.queueLength = queueLength
        self.queueWait = queueWait
        self.state = Locked(State(free: max(1, concurrency)))
    }

    /// The calls that wait now.
    var waitingCount: Int { self.state.withLock { $0.waiting } }

    /// Takes a slot, waiting for one if it must; give it back with ``release()``.
    ///
    /// - Parameter limit: The longest wait that still makes sense to the caller.
    func acquire(client: String, within limit: Duration, clock: GatewayClock) async throws(Refusal) {
        guard let waiting = try self.takeSlotOrQueueUp(client) else { return }
        let deadline = Task {
            try? await clock.sleep(min(self.queueWait, limit))
            self.leave(waiting, client: client, with: .timedOut)
        }
        let refusal = await withTaskCancellationHandler {
            await waiting.wait()
        } onCancel: {
            self.leave(waiting, client: client, with: .cancelled)
        }
        deadline.cancel()
        if let refusal { throw refusal }
    }

    /// Nil when a slot was free.
    private func takeSlotOrQueueUp(_ client: String) throws(Refusal) -> Waiting<Refusal?>? {
        try self.state.withLock { (state) throws(Refusal) in
            if state.free > 0 {
                state.free -= 1
                return nil
            }
            guard state.waiting < self.queueLength else { throw .queueFull }
            let waiting = Waiting<Refusal?>()
            state.waiting += 1
            if state.queues[client] == nil { state.turns.append(client) }
            state.queues[client, default: []].append(waiting)
            return waiting
        }
    }

    /// Gives a slot back; the next client in turn gets it.
    func release() {
        let next: Waiting<Refusal?>? = self.state.withLock { state in
            guard let client = state.turns.first, var queue = state.queues[client] else {
                state.free += 1
                return nil
            }
            let next = queue.removeFirst()
            state.turns.removeFirst()
            state.waiting -= 1
            if queue.isEmpty {
                state.queues[client] = nil
            } else {
                state.queues[client] = queue
                state.turns.append(client)
            }
            return next
        }
        next?.resolve(nil)
    }

    /// Takes a call out of the queue, if it still stands there.
    private func leave(_ waiting: Waiting<Refusal?>, client: String, with refusal: Refusal) {
        let wasQueued = self.state.withLock { state in
            guard var queue = state.queues[client], let index = queue.firstIndex(where: { $0 === waiting }) else {
                return false
            }
            queue.remove(at: index)
            state.waiting -= 1
            if queue.isEmpty {
                state.queues[client] = nil
                state.turns.removeAll { $0 == client }
            } else {
                state.queues[client] = queue
            }
            return true
        }
        if wasQueued { waiting.resolve(refusal) }
    }
}
