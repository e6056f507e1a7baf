public import GatewayCore
public import Store

/// The Yugu platform: whole-file evaluation, speech and reports.
public struct YuguProvider: Provider {
    /// Where the platform is and who we are there.
    public struct Configuration: Sendable {
        /// The platform's REST base without a trailing slash; the default is the platform's own.
        public var baseURL = "https://open.shengzhiai.com"
        /// Our accounts, best first.
        public var accounts: AccountPool

        /// Takes the accounts.
        public init(accounts: AccountPool) {
            self.accounts = accounts
        }
    }

    let configuration: Configuration
    let access: ClientAccess
    let bodies: BodyStorage
    let calls: PaidCalls
    let upstream: UpstreamServices
    let store: Store
    let relay: SpeechRelay?
    let realtime: RealtimeSessions?

    /// Takes the services.
    ///
    /// - Parameters:
    ///   - relay: Brings made speech to clients; nil leaves them the platform's addresses.
    ///   - realtime: Serves realtime evaluation; nil for none.
    public init(
        configuration: Configuration,
        access: ClientAccess,
        bodies: BodyStorage,
        calls: PaidCalls,
        upstream: UpstreamServices,
        store: Store,
        relay: SpeechRelay? = nil,
        realtime: RealtimeSessions? = nil
    ) {
        self.configuration = configuration
        self.access = access
        self.bodies = bodies
        self.calls = calls
        self.upstream = upstream
        self.store = store
        self.relay = relay
        self.realtime = realtime
    }

    /// Our accounts at the platform.
    public var accounts: AccountPool { self.configuration.accounts }

    /// Evaluation in its forms, speech and report, and audio where that comes by way of the gateway.
    public var routes: [Route] {
        var routes = EvaluateSurface.all.map { EvaluateRoute(provider: self, surface: $0).route }
        routes += [SpeechRoute(provider: self).route, ReportRoute(provider: self).route]
        if let relay = self.relay { routes.append(SpeechAudioRoute(provider: self, relay: relay).route) }
        if let realtime = self.realtime {
            routes += EvaluateSurface.all.map { surface in
                let dialect = YuguDialect(surface: surface, baseURL: self.configuration.baseURL)
                return RealtimeRoute(sessions: realtime, dialect: dialect).route
            }
        }
        return routes
    }

    /// 403 for a name that looks like one of the ten and is none, as the platform says it; whoever asks.
    public func refusal(ofPath path: String) -> GatewayError? {
        guard CompatName.isUnregistered(path: path) else { return nil }
        let names = CompatName.allCases.map(\.rawValue).joined(separator: ", ")
        return .forbidden("There is no evaluation of this name; use one of \(names).")
    }
}
