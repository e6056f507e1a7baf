internal import Locking

/// One suspended task that is resumed exactly once: by what it waits for, by its deadline, or by its own leaving.
///
/// Safe from any thread; whoever comes first wins and learns so.
final class Waiting<Outcome: Sendable>: Sendable {
    private enum State {
        case idle
        case suspended(CheckedContinuation<Outcome, Never>)
        case resolved(Outcome)
        case finished
    }

    private let state = Locked(State.idle)

    /// Suspends until ``resolve(_:)``; call it once.
    func wait() async -> Outcome {
        await withCheckedContinuation { continuation in
            let early: Outcome? = self.state.withLock { state in
                switch state {
                case .resolved(let outcome):
                    state = .finished
                    return outcome
                case .idle, .suspended, .finished:
                    state = .suspended(continuation)
                    return nil
                }
            }
            if let early { continuation.resume(returning: early) }
        }
    }

    /// Ends the wait.
    ///
    /// - Returns: False when it had ended already.
    @discardableResult
    func resolve(_ outcome: Outcome) -> Bool {
        let (isFirst, continuation): (Bool, CheckedContinuation<Outcome, Never>?) = self.state.withLock { state in
            switch state {
            case .idle:
                state = .resolved(outcome)
                return (true, nil)
            case .suspended(let continuation):
                state = .finished
                return (true, continuation)
            case .resolved, .finished:
                return (false, nil)
            }
        }
        continuation?.resume(returning: outcome)
        return isFirst
    }
}
