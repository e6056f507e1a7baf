internal import Locking

/// A value that comes once and is awaited by any number of tasks.
final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case open([CheckedContinuation<Value, Never>])
        case resolved(Value)
    }

    private let state = Locked(State.open([]))

    /// Gives the value; later values are ignored.
    func resolve(_ value: Value) {
        let waiting = self.state.withLock { state in
            guard case .open(let waiting) = state else { return [CheckedContinuation<Value, Never>]() }
            state = .resolved(value)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }

    /// Returns the value when it is there.
    func wait() async -> Value {
        await withCheckedContinuation { continuation in
            let value: Value? = self.state.withLock { state in
                switch state {
                case .open(let waiting):
                    state = .open(waiting + [continuation])
                    return nil
                case .resolved(let value):
                    return value
                }
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
