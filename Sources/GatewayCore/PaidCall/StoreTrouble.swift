internal import Locking
internal import Store
internal import Telemetry

/// Stands between paid calls and a store that cannot be written (design, section 4, step 9).
///
/// While there is trouble, no paid call is sent. Answers that were paid for wait here, bounded, and are written as
/// soon as a probe succeeds.
final class StoreTrouble: Sendable {
    private struct State {
        var isTroubled = false
        /// Answers that the store did not take.
        var unwritten: [NewAnswer] = []
        var recovery: Task<Void, Never>?
    }

    /// No call is sent in trouble, so at most the calls that ran at its beginning can wait here.
    private static let maximumUnwritten = 1024

    private let store: Store
    private let clock: GatewayClock
    private let probeInterval: Duration
    private let logger: Logger
    private let onWritten: @Sendable (ScopeHash) -> Void
    private let state = Locked(State())

    /// - Parameter onWritten: Called when a waiting answer has been written, or can never be.
    init(
        store: Store,
        clock: GatewayClock,
        probeInterval: Duration,
        logger: Logger,
        onWritten: @escaping @Sendable (ScopeHash) -> Void
    ) {
        self.store = store
        self.clock = clock
        self.probeInterval = probeInterval
        self.logger = logger
        self.onWritten = onWritten
    }

    /// Whether paid calls must wait.
    var isTroubled: Bool { self.state.withLock { $0.isTroubled } }

    /// Notes that a write failed.
    func note(_ error: StoreError) {
        let isNews = self.state.withLock { state in
            let isNews = !state.isTroubled
            self.beginRecovery(&state)
            return isNews
        }
        if isNews {
            self.logger.error(
                "store cannot be written; paid calls are refused until it can",
                ["store.error": .string(error.message)]
            )
        }
    }

    /// Keeps an answer that could not be written.
    func keep(_ unwritten: NewAnswer) {
        let isKept = self.state.withLock { state in
            guard state.unwritten.count < Self.maximumUnwritten else { return false }
            state.unwritten.append(unwritten)
            // The recovery from the failure that brought the answer here may have ended already.
            self.beginRecovery(&state)
            return true
        }
        if !isKept { self.onWritten(unwritten.claim.scope) }
    }

    /// Stops trying; what is unwritten stays `sent` in the store and is asked of the platform again.
    func stop() {
        self.state.withLock { $0.recovery }?.cancel()
    }

    private func beginRecovery(_ state: inout State) {
        state.isTroubled = true
        if state.recovery == nil { state.recovery = Task { await self.recover() } }
    }

    private func recover() async {
        while !Task.isCancelled {
            do {
                try await self.clock.sleep(self.probeInterval)
                try await self.store.probe()
                try await self.writeUnwritten()
            } catch {
                continue
            }
            let isDone = self.state.withLock { state in
                guard state.unwritten.isEmpty else { return false }
                state.isTroubled = false
                state.recovery = nil
                return true
            }
            if isDone {
                self.logger.notice("store can be written again", [:])
                return
            }
        }
    }

    private func writeUnwritten() async throws(StoreError) {
        while let next = self.state.withLock({ $0.unwritten.first }) {
            do throws(StoreError) {
                _ = try await self.store.complete(next)
            } catch {
                // One that will never be taken must not hold up the others.
                guard error.code == .invalid else { throw error }
                self.logger.error("an answer cannot be stored", ["store.error": .string(error.message)])
            }
            self.state.withLock { _ = $0.unwritten.removeFirst() }
            self.onWritten(next.claim.scope)
        }
    }
}
