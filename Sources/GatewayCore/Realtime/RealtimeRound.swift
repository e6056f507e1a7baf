internal import Cryptography
internal import EventLoop
internal import HTTPWire
internal import SpeechAudio
internal import Telemetry

/// One round of a session: performs what ``RealtimeSession`` decides, and keeps the audio that it counts.
///
/// Until the client's end nothing is claimed and nothing is paid for; from then on the round lives until its result is
/// stored, whether or not the client is still there.
actor RealtimeRound: PaidRound {
    /// How a round gets its result.
    enum Course: Sendable {
        /// The platform hears the audio as it comes.
        case live
        /// Another round under the key has ended and runs: the platform hears this one only if that was not executed.
        case deferred
        /// The key has its answer: the audio is only compared.
        case replayed
    }

    enum Phase: Sendable {
        /// Audio is taken.
        case open
        /// The client has sent the end.
        case ending
        /// The end is known and about to be told, behind what was told before.
        case telling
        case over
    }

    nonisolated let executor: LoopExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { self.executor.asUnownedSerialExecutor() }

    nonisolated let scope: CallScope
    let services: RealtimeServices
    let dialect: any RealtimeDialect
    let principal: Principal
    let requestID: String
    let trace: TraceContext?
    let client: any WebSocketChannel
    private(set) var parameters: RoundParameters
    var phase = Phase.open
    private(set) var course = Course.live

    var session: RealtimeSession
    var buffer: ReplayBuffer
    private var digest: KeyedDigest
    var byteCount = 0
    private let precheckMode: PrecheckMode
    private var precheck: AudioPrecheck?

    /// The only account that may carry the round; nil leaves the choice.
    var carrier: Account?
    /// The account of which a slot is held.
    var account: Account?
    var lastAccount: Account?
    /// Why no account could carry the round when that was asked last.
    var accountRefusal: GatewayError?
    /// Accounts that the platform has refused in this round.
    var refusedAccounts: [String] = []
    /// What the breaker waits to hear of, and of whom.
    var attempt: (account: Account, permit: CircuitBreaker.Permit, isOpening: Bool)?
    var hasBeenConnected = false
    var upstreamKey: String
    var platform: (any WebSocketChannel)?
    /// Changes with every connection: what an older one says is of no interest.
    var serial = 0
    var connectionCount = 0
    var dialling: Task<Void, Never>?
    var flushing: Task<Void, Never>?
    var timer: (deadline: ContinuousClock.Instant, task: Task<Void, Never>)?
    var isCounted = false
    let began: ContinuousClock.Instant
    private(set) var lastAudio: ContinuousClock.Instant
    /// What the client has no room for, and what waits until it has.
    var waitingProgress: [UInt8]?
    var showing: Task<Void, Never>?

    let outcome = Waiting<RoundOutcome>()
    let over = Waiting<WebSocketClose?>()
    var closing: WebSocketClose?

    init(
        _ parameters: RoundParameters,
        scope: CallScope,
        of session: RealtimeOpening,
        client: any WebSocketChannel,
        services: RealtimeServices,
        executor: LoopExecutor
    ) {
        self.executor = executor
        self.parameters = parameters
        self.scope = scope
        self.dialect = session.dialect
        self.principal = session.principal
        self.requestID = session.requestID
        self.trace = session.trace
        self.client = client
        self.services = services
        let limits = services.upstream.limiter.limits(of: scope.client)
        self.session = RealtimeSession(
            configuration: services.configuration.round,
            policy: session.policy ?? limits.bufferPolicy
        )
        self.buffer = ReplayBuffer(storage: services.bodies, client: scope.client)
        self.digest = services.bodies.makeDigest()
        self.precheckMode = limits.precheck
        self.precheck = limits.precheck == .off ? nil : AudioPrecheck(.realtimeRound)
        self.upstreamKey = services.calls.upstreamKey(of: scope)
        self.began = services.clock.now()
        self.lastAudio = self.began
    }

    var now: ContinuousClock.Instant { self.services.clock.now() }

    /// Whether the client has sent the end and waits for its result.
    var isEnding: Bool { self.phase == .ending || self.phase == .telling }
    var audioMilliseconds: Int64 { (Int64(self.byteCount) + 31) / 32 }

    /// Starts a task on the loop, all of which stays there.
    @discardableResult
    func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        // The preference is for what is isolated to nobody: without it that would run elsewhere.
        Task(executorPreference: self.executor) { await work() }
    }

    // MARK: The client's side

    /// Begins, as what is known of the key has it.
    ///
    /// - Throws: 429/42901 when too many calls of the client run, and what a call of its own would be refused with.
    func begin(_ standing: RoundStanding) throws(GatewayError) {
        switch standing {
        case .open:
            try self.services.calls.checkStart(of: self.scope, by: self.principal)
            try self.checkAccounts()
        case .settled(let mayBeNeeded): self.course = mayBeNeeded ? .deferred : .replayed
        case .unknown(let account, let key):
            self.carrier = account
            self.upstreamKey = key
        }
        if self.course == .live { try self.countCall() }
    }

    /// Lets the platform hear the round, where it is to.
    func open() async {
        guard self.course == .live, self.phase == .open else { return }
        await self.perform(self.session.open(at: self.now))
    }

    /// Other parameters for the round: what came before counts no longer.
    ///
    /// - Returns: False when it takes no others.
    func restart(_ parameters: RoundParameters) async -> Bool {
        guard self.phase == .open else { return false }
        self.parameters = parameters
        self.buffer.removeAll()
        self.waitingProgress = nil
        _ = self.digest.finalize()
        self.byteCount = 0
        if self.precheck != nil { self.precheck = AudioPrecheck(.realtimeRound) }
        await self.perform(self.session.restart(at: self.now))
        return self.phase == .open
    }

    /// Takes audio; returns when there is room for more.
    func hear(_ audio: [UInt8]) async {
        guard self.phase == .open else { return }
        self.lastAudio = self.now
        self.digest.update(audio)
        self.byteCount += audio.count
        if self.precheck != nil { audio.withUnsafeBytes { self.precheck?.update($0) } }
        guard self.course != .replayed else { return }
        switch self.session.receiveAudio(audio.count) {
        case .send(let keeping):
            if keeping { await self.keep(audio) } else { self.forgetAudio() }
            await self.send(audio)
        case .keep: await self.keep(audio)
        case .discard: break
        case .fail(let failure): await self.perform([.drop(closeCode: 1000), .fail(failure)])
        }
        if self.session.isFull { await self.flushing?.value }
    }

    private func send(_ audio: [UInt8]) async {
        guard let platform = self.platform else { return }
        guard audio.count > RoundAudio.maximumFrame else {
            await platform.send(.binary(audio))
            return
        }
        for start in stride(from: 0, to: audio.count, by: RoundAudio.maximumFrame) {
            let end = min(start + RoundAudio.maximumFrame, audio.count)
            await platform.send(.binary(Array(audio[start..<end])))
        }
    }

    private func keep(_ audio: [UInt8]) async {
        do {
            try self.buffer.append(audio)
        } catch {
            self.services.metrics.refusedSpool.increment()
            let failure = self.session.loseKeptAudio()
            self.buffer.removeAll()
            self.services.logger.warning(
                failure == nil
                    ? "audio of a round cannot be kept; its next break ends it"
                    : "audio of a round cannot be kept until the platform takes it; the round has ended",
                ["request.id": .string(self.requestID)]
            )
            if let failure { await self.perform([.drop(closeCode: 1000), .fail(failure)]) }
        }
    }

    /// Lets go of audio that no connection can need any more.
    func forgetAudio() {
        if self.buffer.count > 0 { self.buffer.removeAll() }
    }

    /// The client's audio is complete; what follows goes its own way.
    func end() {
        guard self.phase == .open else { return }
        self.phase = .ending
        self.start { await self.evaluate() }
    }

    private func evaluate() async {
        guard self.byteCount > 0 else {
            return await self.finish(.failed(.invalid("The round has no audio; send some before its end.")))
        }
        let verdict = self.precheck?.finish()
        let request = self.request(refusal: self.precheckMode.refusal(verdict))
        do throws(GatewayError) {
            let response = try await self.services.calls.perform(ending: request)
            await self.finish(.passed(response), warnings: verdict.flatMap(self.precheckMode.findings))
        } catch {
            await self.finish(.failed(error))
        }
    }

    private func request(refusal: GatewayError?) -> PaidCalls.Request {
        let operation = RoundOperation(
            name: self.dialect.operation,
            coreType: self.parameters.coreType,
            audioMilliseconds: self.audioMilliseconds
        )
        var request = PaidCalls.Request(
            .round(self, operation),
            scope: self.scope,
            token: self.principal.tokenUse,
            fingerprint: Fingerprint.make(
                path: self.dialect.path,
                parameters: self.parameters.frameWithoutKey,
                audioCount: self.byteCount,
                audio: self.digest.finalize()
            ),
            accounts: self.services.accounts,
            requestID: self.requestID
        )
        request.refusal = refusal
        return request
    }

    /// Nobody wants the round any more: before its end nothing remains of it, behind that it goes on.
    func abandon() async {
        guard self.phase == .open else { return }
        self.phase = .over
        self.services.metrics.count(.cancelled)
        await self.close(.cancelled)
    }

    /// Returns when the round is over, with how the client's connection is to be closed behind it.
    ///
    /// Call it once.
    func untilOver() async -> WebSocketClose? {
        await self.over.wait()
    }
}
