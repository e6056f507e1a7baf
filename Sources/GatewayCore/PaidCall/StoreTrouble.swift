internal import Locking
internal import Store
internal import Telemetry

/// Stands between paid calls and a store that cannot be written (design, section 4, step 9).
///
/// While there is trouble, no paid call is sent. Answers that were paid for wait here, bounded, and are written as soon
/// as a probe as large as they are succeeds. Until then their flights answer for them.
final class StoreTrouble: Sendable {
    private struct State {
        var isTroubled = false
        var unwritten: UnwrittenAnswers
        var recovery: Task<Void, Never>?
    }

    /// What a claim takes of the log, and the most that a probe writes: the largest answers take no more, made smaller.
    private static let probeSizes = 1 << 16...2 << 20

    private let store: Store
    private let clock: GatewayClock
    private let probeInterval: Duration
    private let logger: Logger
    private let flights: FlightTable
    private let state: Locked<State>

    init(
        store: Store,
        flights: FlightTable,
        limits: UnwrittenAnswers.Limits = UnwrittenAnswers.Limits(),
        clock: GatewayClock,
        probeInterval: Duration,
        logger: Logger
    ) {
        self.store = store
        self.flights = flights
        self.clock = clock
        self.probeInterval = probeInterval
        self.logger = logger
        self.state = Locked(State(unwritten: UnwrittenAnswers(limits: limits)))
    }

    /// Whether paid calls must wait.
    var isTroubled: Bool { self.state.withLock { $0.isTroubled } }

    /// How many answers wait for the store, and how many it does not take though it is in order.
    var unwrittenCounts: (waiting: Int, aside: Int) {
        self.state.withLock { ($0.unwritten.waitingCount, $0.unwritten.asideCount) }
    }

    /// Notes that a write failed.
    func note(_ error: StoreError) {
        guard error.isOfStore else {
            self.logger.error("a write was refused", ["store.error": .string(error.message)])
            return
        }
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

    /// Keeps an answer that could not be written; its flight has landed.
    func keep(_ unwritten: NewAnswer, after error: StoreError) {
        guard error.isOfStore else {
            let dropped = self.state.withLock { $0.unwritten.setAside(unwritten) }
            self.tell(unwritten, isSetAsideFor: error, dropping: dropped)
            return
        }
        let isKept = self.state.withLock { state in
            // The recovery from the failure that brought the answer here may have ended already.
            self.beginRecovery(&state)
            return state.unwritten.add(unwritten)
        }
        if !isKept { self.drop([unwritten]) }
    }

    /// Lets nobody see any more what a user did that is being erased.
    ///
    /// What waits is still offered to the store, which counts it as paid for and keeps nothing else.
    func erase(client: String, user: String) {
        let isMeant: (NewAnswer) -> Bool = { $0.claim.client == client && $0.claim.user == user }
        let meant = self.state.withLock { state in
            state.unwritten.dropAside(where: isMeant) + state.unwritten.waitingAnswers.filter(isMeant)
        }
        for answer in meant { self.flights.forget(answer.claim.scope, answer.claim.flight) }
    }

    /// Leaves a key to the operator, who settles it, if its answer was set aside.
    func giveUp(_ scope: ScopeHash) {
        let dropped = self.state.withLock { state in state.unwritten.dropAside { $0.claim.scope == scope } }
        for answer in dropped { self.flights.forget(scope, answer.claim.flight) }
    }

    /// Stops trying; what is unwritten stays `sent` in the store and is asked of the platform again.
    func stop() {
        self.state.withLock { $0.recovery }?.cancel()
    }

    // MARK: Recovery

    private func beginRecovery(_ state: inout State) {
        state.isTroubled = true
        guard state.recovery == nil else { return }
        state.unwritten.retryAside()
        state.recovery = Task { await self.recover() }
    }

    private func recover() async {
        while !Task.isCancelled {
            do {
                try await self.clock.sleep(self.probeInterval)
                try await self.probe(size: self.state.withLock { $0.unwritten.largestWaiting })
                try await self.writeWaiting()
            } catch {
                continue
            }
            let isDone = self.state.withLock { state in
                guard state.unwritten.isNoneWaiting else { return false }
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

    private func probe(size: Int) async throws(StoreError) {
        let size = min(max(size, Self.probeSizes.lowerBound), Self.probeSizes.upperBound)
        try await self.store.probe(byteCount: size)
    }

    /// - Throws: When the store is in trouble as a whole.
    private func writeWaiting() async throws(StoreError) {
        for answer in self.state.withLock({ $0.unwritten.waitingAnswers }) {
            do throws(StoreError) {
                _ = try await self.store.complete(answer)
            } catch {
                // Is it the store again, or this answer alone? The latter must not hold up everyone for ever.
                if error.isOfStore { try await self.probe(size: answer.body.count) }
                self.refuse(answer, for: error)
                continue
            }
            self.state.withLock { $0.unwritten.remove(answer) }
            self.flights.forget(answer.claim.scope, answer.claim.flight)
        }
    }

    private func refuse(_ answer: NewAnswer, for error: StoreError) {
        let refusal = self.state.withLock { $0.unwritten.refuse(answer, isFinal: !error.isOfStore) }
        guard case .setAside(let dropped) = refusal else { return }
        self.tell(answer, isSetAsideFor: error, dropping: dropped)
    }

    private func tell(_ answer: NewAnswer, isSetAsideFor error: StoreError, dropping dropped: [NewAnswer]) {
        self.flights.setAside(answer.claim.scope, answer.claim.flight)
        self.logger.error(
            "an answer cannot be stored though the store is in order; it is kept in memory",
            ["record.id": .string(answer.recordName), "store.error": .string(error.message)]
        )
        self.drop(dropped)
    }

    /// Lets go of answers for which there is no room: the next request with their key asks the platform again.
    private func drop(_ answers: [NewAnswer]) {
        for answer in answers {
            self.logger.error(
                "an answer that was paid for could neither be stored nor kept",
                ["record.id": .string(answer.recordName)]
            )
            self.flights.forget(answer.claim.scope, answer.claim.flight)
        }
    }
}

extension StoreError {
    /// Whether other writes fail too, as far as this one tells; else the write itself breaks a rule.
    fileprivate var isOfStore: Bool { self.code != .invalid }
}

extension NewAnswer {
    /// The platform's name for it, which an operator can ask the platform about.
    fileprivate var recordName: String { self.record?.recordID ?? "none" }
}
