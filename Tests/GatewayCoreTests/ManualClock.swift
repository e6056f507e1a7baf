import GatewayCore
import Locking

/// A clock that a test moves: short waits pass at once and move it, long ones end when they are told to.
final class ManualClock: Sendable {
    private struct State {
        var now = ContinuousClock.now
        var unixMilliseconds: Int64
        var sleepers: [(deadline: ContinuousClock.Instant, continuation: CheckedContinuation<Bool, Never>, id: Int)] =
            []
        var serial = 0
        var slept: [Duration] = []
    }

    /// Waits of at least this length are kept waiting.
    private static let long = Duration.seconds(20)
    private let state: Locked<State>

    init(unixMilliseconds: Int64 = 1_800_000_000_000) {
        self.state = Locked(State(unixMilliseconds: unixMilliseconds))
    }

    /// The waits that passed at once.
    var slept: [Duration] { self.state.withLock { $0.slept } }

    var clock: GatewayClock {
        GatewayClock(
            unixMilliseconds: { self.state.withLock { $0.unixMilliseconds } },
            now: { self.state.withLock { $0.now } },
            sleep: { try await self.sleep($0) },
            random: { 0.5 }
        )
    }

    func advance(by duration: Duration) {
        let due = self.state.withLock { state in
            state.now += duration
            state.unixMilliseconds += Int64(duration / .milliseconds(1))
            let due = state.sleepers.filter { $0.deadline <= state.now }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due
        }
        for sleeper in due { sleeper.continuation.resume(returning: true) }
    }

    private func sleep(_ duration: Duration) async throws {
        try Task.checkCancellation()
        guard duration >= Self.long else {
            self.state.withLock { $0.slept.append(duration) }
            self.advance(by: duration)
            await Task.yield()
            return
        }
        let id = self.state.withLock { state in
            state.serial += 1
            return state.serial
        }
        let isDue = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.state.withLock { $0.sleepers.append(($0.now + duration, continuation, id)) }
                if Task.isCancelled { self.wake(id) }
            }
        } onCancel: {
            self.wake(id)
        }
        guard isDue else { throw CancellationError() }
    }

    private func wake(_ id: Int) {
        let sleeper = self.state.withLock { state in
            let index = state.sleepers.firstIndex { $0.id == id }
            return index.map { state.sleepers.remove(at: $0) }
        }
        sleeper?.continuation.resume(returning: false)
    }
}
