internal import Locking

/// Holds clients and their users to their rates and to so many calls at a time.
///
/// One lock serves all loops: a token is worth more than the time it takes.
public final class ClientLimiter: Sendable {
    private struct State {
        var settings: LimitSettings
        var rates = RateLimits()
        var running = RunningCalls()
    }

    private let clock: GatewayClock
    private let state: Locked<State>

    /// Begins with nothing used.
    public init(settings: LimitSettings = LimitSettings(), clock: GatewayClock = .system) {
        self.clock = clock
        self.state = Locked(State(settings: settings))
    }

    /// From now on other limits hold; what was used stays used.
    public func change(to settings: LimitSettings) {
        self.state.withLock { $0.settings = settings }
    }

    /// The limits of a client.
    public func limits(of client: String) -> ClientLimits {
        self.state.withLock { $0.settings.limits(of: client) }
    }

    /// Counts a request, whatever becomes of it (design, section 4, step 3).
    ///
    /// - Throws: 429/42900 when its client or its user sends too many.
    func countRequest(of principal: Principal) throws(GatewayError) {
        let now = self.clock.now()
        let verdict = self.state.withLock { state in
            let limits = state.settings.limits(of: principal.client)
            let rates = RateLimits.Rates(client: limits.rate, user: limits.userRate)
            return state.rates.take(client: principal.client, user: principal.user, rates: rates, at: now)
        }
        guard case .refused(let party, let retryAfter) = verdict else { return }
        throw .tooManyRequests(of: party, retryAfter: retryAfter)
    }

    /// Takes a place among the calls at a time, which is free again when nobody holds it.
    ///
    /// - Throws: 429/42901 when there is none.
    public func place(of principal: Principal) throws(GatewayError) -> CallPlace {
        try self.beginCall(client: principal.client, user: principal.user)
        return CallPlace(limiter: self, client: principal.client, user: principal.user)
    }

    /// Counts a call that goes to a platform as running; end it with ``endCall(client:user:)``.
    ///
    /// - Throws: 429/42901 when too many of its client or its user run.
    func beginCall(client: String, user: String?) throws(GatewayError) {
        let party = self.state.withLock { state in
            state.running.begin(client: client, user: user, limits: state.settings.limits(of: client))
        }
        if let party { throw .tooManyCalls(of: party) }
    }

    /// Ends a call that was counted.
    func endCall(client: String, user: String?) {
        self.state.withLock { $0.running.end(client: client, user: user) }
    }
}
