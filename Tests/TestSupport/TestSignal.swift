private import Dispatch
private import Locking

/// Something that happens once in one place and that others wait for.
public final class TestSignal: Sendable {
    private struct State {
        var isGiven = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let semaphore = DispatchSemaphore(value: 0)

    /// Begins not given.
    public init() {}

    /// Gives the signal; further times do nothing.
    public func give() {
        let waiters = self.state.withLock { state in
            state.isGiven = true
            let waiters = state.waiters
            state.waiters = []
            return waiters
        }
        self.semaphore.signal()
        for waiter in waiters { waiter.resume() }
    }

    /// Returns once the signal is given.
    public func given() async {
        await withCheckedContinuation { continuation in
            let isGiven = self.state.withLock { state in
                if !state.isGiven { state.waiters.append(continuation) }
                return state.isGiven
            }
            if isGiven { continuation.resume() }
        }
    }

    /// Blocks the thread until the signal is given; false when it is not within ten seconds.
    public func wait() -> Bool {
        guard self.semaphore.wait(timeout: .now() + .seconds(10)) == .success else { return false }
        self.semaphore.signal()
        return true
    }
}
