internal import Cryptography
internal import GatewayCore
internal import HTTPWire
internal import ProviderYugu
internal import Store
internal import Telemetry

/// The gateway with what the daemon must reach in it: the one place that knows how the parts fit together.
struct GatewayAssembly: Sendable {
    /// Answers requests.
    let gateway: Gateway
    /// Who may call.
    let clients: ClientDirectory
    /// What credentials are derived from.
    let masters: MasterKeys
    /// What takes tokens back.
    let revocations: TokenRevocations
    /// The paid calls.
    let calls: PaidCalls
    /// Erases what users did.
    let erasures: Erasures
    /// What clients may use.
    let limiter: ClientLimiter
    /// Where request bodies go.
    let bodies: BodyStorage
    /// The accounts of the platform Yugu.
    let yuguAccounts: AccountPool
    /// The realtime sessions at the platform Yugu.
    let realtime: RealtimeSessions
    /// The accounts of all platforms.
    let accounts: [AccountPool]

    /// Puts a gateway together.
    ///
    /// - Parameters:
    ///   - store: Open; the gateway does not close it.
    ///   - transport: Sends requests to platforms.
    ///   - registry: Takes the gateway's metrics.
    ///   - isLate: Whether the event loops are too late to begin anything.
    /// - Throws: ``StoreError`` when the clients cannot be read or the spool not be made.
    init(
        configuration: Configuration,
        secrets: ResolvedSecrets,
        store: Store,
        transport: any HTTPTransport & HTTPContentTransport & WebSocketTransport,
        logger: Logger,
        registry: MetricsRegistry,
        isLate: @escaping @Sendable () -> Bool
    ) throws(StoreError) {
        let yugu = configuration.yugu
        self.limiter = ClientLimiter(settings: configuration.limits.clients)
        let services = UpstreamServices(
            transport: transport,
            policy: RetryPolicy(yugu),
            limiter: self.limiter,
            maximumAnswer: yugu.answerBytes.bytes,
            logger: logger,
            metrics: GatewayMetrics(registry: registry, platformCodes: YuguProvider.codes)
        )
        var callTimes = PaidCalls.Configuration()
        callTimes.waitForWinner = yugu.waitForWinner
        callTimes.dayOffset = configuration.limits.dayOffset
        callTimes.unknownReplayWindow = yugu.unknownReplayWindow
        let calls = PaidCalls(
            configuration: callTimes,
            services: services,
            store: store,
            upstreamKeySecret: secrets.upstreamKey
        )
        let clients = ClientDirectory()
        clients.replace(with: try store.clients())
        let masters = MasterKeys(current: secrets.master, previous: secrets.previousMaster)
        let revocations = try TokenRevocations(store: store)
        var accepted = ClientAccess.Configuration()
        accepted.signatureWindow = configuration.limits.signatureWindow
        accepted.failedCredentials = configuration.limits.failedCredentials
        let access = ClientAccess(
            configuration: accepted,
            clients: clients,
            masters: masters,
            revocations: revocations,
            store: store,
            limiter: self.limiter
        )
        let issuer = TokenIssuer(clients: clients, masters: masters, revocations: revocations)
        let bodies = try Self.bodies(configuration, fingerprintKey: store.fingerprintKey)
        self.bodies = bodies
        self.yuguAccounts = AccountPool(Self.accounts(yugu, secrets))
        var platform = YuguProvider.Configuration(accounts: self.yuguAccounts)
        platform.baseURL = yugu.baseURL
        self.realtime = RealtimeSessions(
            configuration: yugu.realtime.sessions,
            access: access,
            calls: calls,
            accounts: self.yuguAccounts,
            bodies: bodies,
            transport: transport,
            metrics: registry
        )
        let providers: [any Provider] = [
            YuguProvider(
                configuration: platform,
                access: access,
                bodies: bodies,
                calls: calls,
                upstream: services,
                store: store,
                relay: Self.relay(configuration, masters: masters, transport: transport),
                realtime: self.realtime
            )
        ]
        var routes = providers.flatMap(\.routes)
        routes += KeyRoutes(access: access, calls: calls, store: store).routes
        routes += RecordRoutes(access: access, store: store).routes
        routes += UsageRoutes(access: access, calls: calls, store: store).routes
        let erasures = Erasures(store: store, calls: calls, revocations: revocations, logger: logger)
        routes += ErasureRoutes(access: access, erasures: erasures).routes
        routes += TokenRoutes(access: access, issuer: issuer, bodies: bodies).routes
        routes += WhoamiRoute(access: access, calls: calls, store: store).routes
        if configuration.echo { routes += EchoRoute().routes }
        var overload = OverloadPolicy()
        overload.maximumRequests = configuration.limits.requests
        overload.isLate = isLate
        self.gateway = Gateway(
            routes: routes,
            proxies: configuration.trustedProxies.compactMap(AddressRange.init),
            overload: overload,
            refusal: { path in providers.lazy.compactMap { $0.refusal(ofPath: path) }.first },
            logger: logger,
            registry: registry
        )
        self.clients = clients
        self.masters = masters
        self.revocations = revocations
        self.calls = calls
        self.erasures = erasures
        self.accounts = providers.map(\.accounts)
    }

    private static func bodies(
        _ configuration: Configuration,
        fingerprintKey: Secret
    ) throws(StoreError) -> BodyStorage {
        var spool = SpoolDirectory.Configuration(directory: configuration.stateDirectory + "/spool")
        spool.budget = Int64(configuration.limits.spoolBudget.bytes)
        // Uploads alone must not end paid work.
        let minimum = Int64(configuration.limits.minimumFreeDisk.bytes)
        spool.minimumFree = minimum + minimum / 4
        var bodies = BodyStorage.Configuration()
        bodies.memoryBody = configuration.limits.memoryBody.bytes
        bodies.memoryBudget = configuration.limits.memoryBudget.bytes
        bodies.uploadBytes = configuration.limits.uploadBytes.bytes
        bodies.unprovenBudget = configuration.limits.unprovenBudget.bytes
        bodies.unprovenTimeout = configuration.limits.unprovenTimeout
        return BodyStorage(configuration: bodies, spool: try SpoolDirectory(spool), fingerprintKey: fingerprintKey)
    }

    /// Brings made speech to clients where the operator wants that.
    private static func relay(
        _ configuration: Configuration,
        masters: MasterKeys,
        transport: any HTTPContentTransport
    ) -> SpeechRelay? {
        let audio = configuration.yugu.audio
        guard let gatewayURL = audio.gatewayURL else { return nil }
        var relay = SpeechRelay.Configuration(gatewayURL: gatewayURL)
        relay.hosts = audio.hosts
        relay.maximumBytes = audio.maximumBytes.bytes
        relay.timeout = audio.timeout
        relay.lifetime = configuration.store.keyRetention
        return SpeechRelay(configuration: relay, masters: masters, transport: transport)
    }

    /// The accounts as a configuration has them.
    static func accounts(_ yugu: Configuration.Yugu, _ secrets: ResolvedSecrets) -> [Account] {
        zip(yugu.accounts, secrets.accounts).map { account, secretKey in
            var settings = Account.Settings(secretKey: secretKey)
            settings.kind = account.kind
            settings.concurrency = account.concurrency
            settings.queueLength = yugu.queue.length
            settings.queueWait = yugu.queue.wait
            settings.daily = account.daily
            settings.exhaustedTime = yugu.exhaustedTime
            settings.breaker = yugu.breaker
            return Account(name: account.name, appKey: account.appKey, settings: settings, dayOffset: yugu.dayOffset)
        }
    }
}

extension RetryPolicy {
    fileprivate init(_ yugu: Configuration.Yugu) {
        self.init()
        self.attempts = yugu.attempts
        self.initialDelay = yugu.retry.initialDelay
        self.maximumDelay = yugu.retry.maximumDelay
        self.jitter = yugu.retry.jitter
        self.maximumRetryAfter = yugu.retry.maximumRetryAfter
        self.attemptTimeout = yugu.attemptTimeout
        self.totalTimeout = yugu.totalTimeout
    }
}
