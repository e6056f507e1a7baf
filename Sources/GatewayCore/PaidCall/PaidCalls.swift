public import Cryptography
internal import EventLoop
public import HTTPWire
public import Store
internal import Synchronization
internal import Telemetry

/// Executes paid calls at most once each (design, section 4, steps 4 to 9).
public final class PaidCalls: Sendable {
    /// Times that the contract fixes.
    public struct Configuration: Sendable {
        /// How long a second request with a running key waits; the default is 30 s.
        public var waitForWinner = Duration.seconds(30)
        /// How long after its first sending a call of unknown outcome is asked of the platform again; under the
        /// platform's own 24 h; the default is 23 h.
        public var unknownReplayWindow = Duration.seconds(23 * 3600)
        /// How far ahead of UTC the day of clients' quotas begins; the default is 0.
        public var dayOffset = Duration.zero
        /// How often a store in trouble is probed; the default is 1 s.
        public var storeProbeInterval = Duration.seconds(1)

        /// The defaults.
        public init() {}
    }

    let configuration: Configuration
    let services: UpstreamServices
    let store: Store
    let flights: FlightTable
    let trouble: StoreTrouble
    let usage = UsageTally()
    let quotas: QuotaLedger
    let upstreamKeySecret: Secret
    private let diskIsLow = Atomic(false)
    private let cutting = Atomic(false)

    /// Makes the pipeline.
    ///
    /// - Parameter upstreamKeySecret: Makes the keys that the platform sees; must outlive the database.
    public init(
        configuration: Configuration = Configuration(),
        services: UpstreamServices,
        store: Store,
        upstreamKeySecret: Secret
    ) {
        let process = SecureRandom.bytes(count: 8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let flights = FlightTable(process: process >> 1)
        self.configuration = configuration
        self.services = services
        self.store = store
        self.flights = flights
        self.quotas = QuotaLedger(store: store, clock: services.clock)
        self.upstreamKeySecret = upstreamKeySecret
        self.trouble = StoreTrouble(
            store: store,
            flights: flights,
            clock: services.clock,
            probeInterval: configuration.storeProbeInterval,
            logger: services.logger
        )
    }

    /// Answers a paid request: from the store, from the flight that carries it already, or by a flight of its own.
    ///
    /// - Parameter request: Given away: a request that waits for another one's call keeps no content meanwhile.
    public func perform(_ request: consuming Request) async throws(GatewayError) -> HTTPResponse {
        let usage = self.beginUsage(of: request)
        do throws(GatewayError) {
            let response = try await self.answer(request)
            self.usage.count(usage, response: response)
            return response
        } catch {
            self.usage.count(usage, error: error)
            throw error
        }
    }

    func beginUsage(of request: borrowing Request) -> UsageTally.Entry {
        self.usage.enter(
            UsageKey(
                at: self.services.clock.unixMilliseconds(),
                client: request.scope.client,
                user: request.scope.user,
                operation: request.operation.name
            )
        )
    }

    private func answer(_ request: consuming Request) async throws(GatewayError) -> HTTPResponse {
        switch self.flights.enter(request.scope.hash, fingerprint: request.fingerprint, token: request.token) {
        case .mismatch:
            throw .keyReused
        case .landed(let result):
            request.trace?.note(result)
            return try result.response(isOwner: false)
        case .waiter(let participant):
            let trace = request.trace
            _ = consume request
            let start = self.services.clock.now()
            defer { trace?.add(self.services.clock.now() - start, to: .winner) }
            return try await self.wait(participant, limit: self.configuration.waitForWinner, noting: trace)
        case .owner(let flight, let participant):
            return try await self.own(flight, participant, request)
        }
    }

    /// Answers a request that owns its flight.
    func own(
        _ flight: FlightID,
        _ participant: FlightTable.Participant,
        _ request: consuming Request
    ) async throws(GatewayError) -> HTTPResponse {
        // Replays end here, without a task and without a wait.
        let trace = request.trace
        let start = self.services.clock.now()
        let known = self.known(request)
        trace?.add(self.services.clock.now() - start, to: .store)
        switch known {
        case .land(let result):
            trace?.note(result)
            self.flights.land(request.scope.hash, flight, with: result)
            return try result.response(isOwner: true)
        case .fly(let carrier):
            self.start(request, flight: flight, on: carrier)
            return try await self.wait(participant, limit: nil, noting: trace)
        }
    }

    /// Whether no further call is sent, because its answer might find no room; replays go on.
    public var isDiskLow: Bool {
        get { self.diskIsLow.load(ordering: .relaxed) }
        set { self.diskIsLow.store(newValue, ordering: .relaxed) }
    }

    /// Returns when no call runs any more.
    public func drain() async {
        await self.flights.waitUntilIdle()
    }

    /// Whether the end of the process is so near that nothing can be sent any more.
    var isCut: Bool { self.cutting.load(ordering: .relaxed) }

    /// Answers all who wait for a call, and begins none any more; those that were sent may have been executed.
    public func cut() {
        self.cutting.store(true, ordering: .relaxed)
        self.flights.cut(sent: .cutOff, unsent: .draining)
    }

    /// Gives up what cannot be finished; for the end of the process.
    public func stop() {
        self.trouble.stop()
    }

    private func wait(
        _ participant: FlightTable.Participant,
        limit: Duration?,
        noting trace: RequestTrace?
    ) async throws(GatewayError) -> HTTPResponse {
        switch await self.news(participant, limit: limit) {
        case .landed(let result, let asOwner):
            trace?.note(result)
            return try self.response(of: result, asOwner: asOwner)
        case .timedOut, .left:
            throw .inProgress
        }
    }

    /// What a flight came to, for one who takes part in it.
    func response(of result: FlightResult, asOwner: Bool) throws(GatewayError) -> HTTPResponse {
        if case .answered = result, !asOwner { self.services.metrics.replays.increment() }
        return try result.response(isOwner: asOwner)
    }

    /// Waits for a flight.
    func news(_ participant: FlightTable.Participant, limit: Duration?) async -> FlightTable.News {
        let deadline = limit.map { limit in
            Task {
                guard (try? await self.services.clock.sleep(limit)) != nil else { return }
                self.flights.timeOut(participant)
            }
        }
        let news = await withTaskCancellationHandler {
            await participant.waiting.wait()
        } onCancel: {
            self.flights.leave(participant)
        }
        deadline?.cancel()
        return news
    }

    /// What the store knows of a scope, and what follows from it.
    enum Known: Sendable {
        /// No platform is needed.
        case land(FlightResult)
        /// The platform is asked; of a call of unknown outcome, only the account that carried it can tell.
        case fly(on: Account?)
    }

    private func known(_ request: Request) -> Known {
        let row: KeyRow?
        do {
            row = try self.store.lookUp(request.scope.hash)
            if row == nil, try self.store.isErased(request.scope.hash) { return .land(.failed(.erased)) }
        } catch {
            self.services.logger.error("store cannot be read", ["store.error": .string(error.message)])
            return .land(.failed(.storeUnavailable))
        }
        guard let row else {
            // A row stands for content that was sent: it may have been paid for, and is not refused any more.
            if let refusal = request.refusal { return .land(.failed(refusal)) }
            return .fly(on: nil)
        }
        if let answer = row.answer {
            guard row.fingerprint == request.fingerprint.bytes else { return .land(.failed(.keyReused)) }
            self.services.metrics.replays.increment()
            let stored = Answer(status: answer.status, contentType: answer.contentType, body: answer.body)
            return .land(.answered(stored, details: AnswerDetails(isReplay: true, recordID: answer.recordID)))
        }
        guard !row.isSettledBilled else { return .land(.failed(.settledBilled)) }
        guard request.operation.isDeduplicated, let account = self.account(thatCanTell: row, of: request.accounts)
        else {
            return .land(.failed(.outcomeLost))
        }
        return .fly(on: account)
    }

    /// The account that can still tell what became of a call; nil when none can.
    func account(thatCanTell row: KeyRow, of accounts: AccountPool) -> Account? {
        let age = Duration.milliseconds(self.services.clock.unixMilliseconds() - row.firstSentAt)
        guard age < self.configuration.unknownReplayWindow else { return nil }
        return accounts.account(withAppKey: row.appKey)
    }

    /// Starts the flight in a task of its own: it outlives the client that asked for it.
    private func start(_ request: Request, flight: FlightID, on carrier: Account?) {
        let fly: @Sendable () async -> Void = {
            let call = PaidFlight(calls: self, request: request, flight: flight)
            let landing = await call.fly(on: carrier)
            guard let landing else { return }
            let isWritten = landing.unwritten == nil
            self.flights.land(request.scope.hash, flight, with: landing.result, isWritten: isWritten)
            guard let (answer, error) = landing.unwritten else { return }
            self.trouble.keep(answer, after: error)
        }
        if let loop = EventLoop.current {
            _ = loop.run(fly)
        } else {
            Task { await fly() }
        }
    }
}
