private import Dispatch
private import Locking

/// Something that happens once in one place and that others wait for.
public final class TestSignal: Sendable {
    private struct State {
        var isGiven = false
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
        var count = 0
    }

    // So that a test fails with what it waits for, and within the minute that suites have.
    private static let limit = DispatchTimeInterval.seconds(50)

    private let state = Locked(State())
    private let semaphore = DispatchSemaphore(value: 0)

    /// Begins not given.
    public init() {}

    /// Gives the signal; further times do nothing.
    public func give() {
        let waiters = self.state.withLock { state in
            state.isGiven = true
            let waiters = state.waiters
            state.waiters = [:]
            return waiters
        }
        self.semaphore.signal()
        for waiter in waiters.values { waiter.resume(returning: true) }
    }

    /// Returns once the signal is given; false when it is not within fifty seconds.
    @discardableResult
    public func given() async -> Bool {
        await withCheckedContinuation { continuation in
            let number: Int? = self.state.withLock { state in
                guard !state.isGiven else { return nil }
                state.count += 1
                state.waiters[state.count] = continuation
                return state.count
            }
            guard let number else { return continuation.resume(returning: true) }
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.limit) {
                self.state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(returning: false)
            }
        }
    }

    /// Blocks the thread until the signal is given; false when it is not within fifty seconds.
    public func wait() -> Bool {
        guard self.semaphore.wait(timeout: .now() + Self.limit) == .success else { return false }
        self.semaphore.signal()
        return true
    }
}
