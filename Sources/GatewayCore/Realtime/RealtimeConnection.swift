internal import EventLoop
internal import HTTPWire
internal import Store
internal import Telemetry

/// One client's realtime session: a connection on which rounds follow one another.
///
/// It runs on the loop of its connection, and so do its rounds: nothing hops.
actor RealtimeConnection {
    nonisolated let executor: LoopExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { self.executor.asUnownedSerialExecutor() }

    private let opening: RealtimeOpening
    private let services: RealtimeServices
    private let channel: any WebSocketChannel
    private var number = 0

    /// The round that runs, or the last one.
    private var round: RealtimeRound?
    /// The key that we made for it; nil for one of the client's.
    private var generatedKey: IdempotencyKey?
    private var roundCount = 0
    private var idleSince: ContinuousClock.Instant
    private var isDraining = false
    /// Whether the session is being closed because nothing came.
    private var isLeaving = false
    private var messageCount = 0
    /// Whether a message is being worked at; what comes meanwhile is not read.
    private var isBusy = false
    /// Whether the client was told that it has no round: once is enough, what it goes on to send is thrown away.
    private var isRefused = false

    /// Takes what a session consists of.
    init(_ opening: RealtimeOpening, channel: any WebSocketChannel, services: RealtimeServices, executor: LoopExecutor)
    {
        self.executor = executor
        self.opening = opening
        self.services = services
        self.channel = channel
        self.idleSince = services.clock.now()
    }

    nonisolated var principal: Principal { self.opening.principal }
    private var dialect: any RealtimeDialect { self.opening.dialect }

    /// Serves the session until its client leaves or is closed.
    func run() async {
        let number = self.services.registry.enter(self)
        self.number = number
        await self.send(self.dialect.connected)
        while let message = await self.channel.receive() {
            self.idleSince = self.services.clock.now()
            self.messageCount += 1
            self.isBusy = true
            switch message.kind {
            case .binary: await self.hear(message.bytes)
            case .text: await self.read(message.bytes)
            }
            self.isBusy = false
        }
        self.services.registry.leave(number)
        await self.round?.abandon()
    }

    private func send(_ frame: [UInt8]) async {
        await self.channel.send(WebSocketMessage(kind: .text, bytes: frame))
    }

    private func close(_ code: WebSocketCloseCode, _ reason: String) {
        self.channel.close(WebSocketClose(code, reason: reason))
    }

    // MARK: Frames

    private func hear(_ audio: [UInt8]) async {
        // Of a round that has failed the client may not know yet; what it goes on to send is thrown away.
        if let round = self.round { return await round.hear(audio) }
        guard !self.isRefused else { return }
        self.isRefused = true
        await self.refuse(.invalid("Audio came before a round began; send the parameters first."))
    }

    private func read(_ frame: [UInt8]) async {
        switch self.dialect.read(clientFrame: frame) {
        case .parameters(let parameters): await self.begin(parameters)
        case .audio(let audio): await self.hear(audio)
        case .end: await self.end()
        case .ping: await self.send(self.dialect.pong(at: self.services.clock.unixMilliseconds()))
        case .refusedParameters(let error): await self.refuseRound(error)
        case .refused(let error): await self.refuse(error)
        }
    }

    private func refuse(_ error: GatewayError) async {
        let time = self.services.clock.unixMilliseconds()
        await self.send(self.dialect.refusal(error, requestID: self.opening.requestID, at: time))
    }

    private func start(_ work: @escaping @Sendable () async -> Void) {
        // As in a round: the preference is for what is isolated to nobody.
        Task(executorPreference: self.executor) { await work() }
    }

    // MARK: Rounds

    private func begin(_ parameters: RoundParameters) async {
        guard await !self.refusesToBegin() else { return }
        do throws(GatewayError) {
            try self.principal.require(coreType: parameters.coreType)
            guard !self.isDraining else { throw .draining }
            let key = await self.key(of: parameters)
            let scope = CallScope(client: self.principal.client, user: self.principal.user, key: key)
            if let round = self.round, round.scope == scope, await round.restart(parameters) {
                return await self.send(self.dialect.started(key: self.generatedKey?.text))
            }
            await self.round?.abandon()
            self.round = nil
            let round = try await self.makeRound(parameters, scope)
            self.round = round
            await self.send(self.dialect.started(key: self.generatedKey?.text))
            await round.open()
        } catch {
            await self.refuseRound(error)
        }
    }

    /// Closes when a round begins before the result of the one before: whose came next, nobody could tell.
    private func refusesToBegin() async -> Bool {
        guard let round = self.round, await round.isEnding else { return false }
        self.close(.policyViolation, "a round began before the result of the one before")
        return true
    }

    /// No round begins, and one that ran is over: parameters clear what came before them (contract yugu, section 10.2).
    private func refuseRound(_ error: GatewayError) async {
        guard await !self.refusesToBegin() else { return }
        await self.round?.abandon()
        self.round = nil
        self.isRefused = true
        await self.refuse(error)
    }

    private func key(of parameters: RoundParameters) async -> IdempotencyKey {
        if let key = parameters.key ?? self.opening.key {
            self.generatedKey = nil
            return key
        }
        // Parameters that come again before the end are of the same round.
        if let key = self.generatedKey, let round = self.round, await round.phase == .open { return key }
        let key = IdempotencyKey.generate()
        self.generatedKey = key
        return key
    }

    private func makeRound(
        _ parameters: RoundParameters,
        _ scope: CallScope
    ) async throws(GatewayError) -> RealtimeRound {
        // The first one was counted with the handshake.
        if self.roundCount > 0 { try self.services.upstream.limiter.countRequest(of: self.principal) }
        self.roundCount += 1
        self.isRefused = false
        let round = RealtimeRound(
            parameters,
            scope: scope,
            of: self.opening,
            client: self.channel,
            services: self.services,
            executor: self.executor
        )
        try await round.begin(try self.services.calls.standing(of: scope, accounts: self.services.accounts))
        for other in self.services.registry.begin(scope.hash, self.number) {
            Task(executorPreference: other.executor) { await other.prove() }
        }
        self.start { [number = self.number] in
            let closing = await round.untilOver()
            self.services.registry.end(scope.hash, number)
            await self.leave(round, closing)
        }
        return round
    }

    private func end() async {
        guard let round = self.round else {
            guard !self.isRefused else { return }
            return await self.refuse(.invalid("There is no round to end; send the parameters first."))
        }
        await round.end()
    }

    private func leave(_ round: RealtimeRound, _ closing: WebSocketClose?) {
        self.idleSince = self.services.clock.now()
        if let closing {
            self.channel.close(closing)
        } else if self.isDraining {
            self.goAway()
        }
    }

    // MARK: Ends that the client does not want

    /// Another session has a round under the same key: either the client does so on purpose, or its link broke and it
    /// came back.
    ///
    /// A pong may be late behind audio that is on its way, or that we do not read at the moment: a client that sends is
    /// there.
    func prove() async {
        guard let round = self.round, await round.phase == .open else { return }
        let count = self.messageCount
        guard await !self.channel.ping(within: self.services.configuration.duplicateTimeout),
            self.messageCount == count, !self.isBusy, self.round === round, await round.phase == .open
        else { return }
        self.services.logger.info(
            "a session with a broken link gives way to its successor",
            ["request.id": .string(self.opening.requestID)]
        )
        await round.abandon()
        self.close(.goingAway, "another session has the same key")
    }

    /// Looks whether the session may go on.
    func look(isCredentialCurrent: Bool) async {
        if !isCredentialCurrent {
            await self.round?.abandon()
            return self.close(.application(4401), "the credential holds no longer")
        }
        let idle = self.services.clock.now() - self.idleSince
        // What is told takes as long as the client has no room for it, and others wait to be looked after.
        if idle > self.services.configuration.idleTimeout, await self.round?.isEnding != true {
            guard !self.isLeaving else { return }
            self.isLeaving = true
            self.start { await self.leaveIdle() }
        } else if let round = self.round {
            self.start { await round.look() }
        }
    }

    private func leaveIdle() async {
        let error = GatewayError.sessionIdle(self.services.configuration.idleTimeout)
        let round = self.round
        if let round {
            await round.giveUp(error)
        } else if !self.isRefused {
            await self.refuse(error)
        }
        // Its end, or another round, may have come meanwhile.
        guard self.round === round, await round?.isEnding != true else {
            self.isLeaving = false
            return
        }
        self.close(.normalClosure, "nothing came for too long")
    }

    /// Ends behind the round that runs.
    func drain() async {
        self.isDraining = true
        guard await self.round?.phase ?? .over == .over else { return }
        self.goAway()
    }

    private func goAway() {
        self.close(.goingAway, "the gateway is shutting down")
    }
}
