public import Cryptography
internal import Locking

/// A platform account: its keys, and what its use has taught about it.
public final class Account: Sendable {
    /// What an account is for; each client uses one kind.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Calls cost money.
        case production
        /// The platform's sandbox: few calls a day, free of charge.
        case sandbox
    }

    /// What the operator may change while the account is in use.
    public struct Settings: Sendable {
        /// The secret half of its credentials; nothing prints it.
        public var secretKey: Secret
        /// What it is for; the default is production.
        public var kind = Kind.production
        /// Calls at a time, at least 1; the default is 64.
        public var concurrency = 64
        /// Calls that may wait for one of them; the default is 256.
        public var queueLength = 256
        /// How long one may wait; the default is 30 s.
        public var queueWait = Duration.seconds(30)
        /// What we allow ourselves of it in a day; the default is no limit.
        public var daily = DailyQuota.Allowance()
        /// How long it is passed over when its quota or balance is used up; the default is 60 s.
        public var exhaustedTime = Duration.seconds(60)
        /// When calls of a route that fails are kept back.
        public var breaker = CircuitBreaker.Configuration()

        /// Takes what has no default.
        public init(secretKey: Secret) {
            self.secretKey = secretKey
        }
    }

    private struct State {
        var settings: Settings
        var condition = AccountCondition()
        var clockOffset = Duration.zero
        var recent = RecentCalls()
        /// Of the few routes that were used; changed in place, where a dictionary would move them out and in again.
        var breakers: [(route: String, breaker: CircuitBreaker)] = []

        func indexOfBreaker(of route: String) -> Int? {
            self.breakers.firstIndex { $0.route == route }
        }
    }

    /// The operator's name for it.
    public let name: String
    /// The public half of its credentials.
    public let appKey: String
    /// How far ahead of UTC its day begins.
    let dayOffset: Duration
    /// Calls at a time, and who waits for one.
    let slots: AccountSlots
    private let state: Locked<State>

    /// Makes an account.
    ///
    /// - Parameter dayOffset: How far ahead of UTC the platform's day begins; the default is 8 h.
    public init(name: String, appKey: String, settings: Settings, dayOffset: Duration = .seconds(8 * 3600)) {
        self.name = name
        self.appKey = appKey
        self.dayOffset = dayOffset
        self.slots = AccountSlots(
            concurrency: settings.concurrency,
            queueLength: settings.queueLength,
            queueWait: settings.queueWait
        )
        self.state = Locked(State(settings: settings))
    }

    /// What the operator says of it.
    public var settings: Settings { self.state.withLock { $0.settings } }

    /// The secret half of its credentials, as of now.
    public var secretKey: Secret { self.state.withLock { $0.settings.secretKey } }

    /// Takes other settings; what the platform has said before counts no longer.
    func change(to settings: Settings, at now: ContinuousClock.Instant) {
        self.state.withLock { state in
            state.settings = settings
            state.condition = AccountCondition()
            state.breakers = []
        }
        self.slots.change(
            concurrency: settings.concurrency,
            queueLength: settings.queueLength,
            queueWait: settings.queueWait,
            at: now
        )
    }

    /// Whether the platform accepts the account's credentials, as far as is known.
    public var isReady: Bool { self.state.withLock { $0.condition.isAccepted } }

    /// Takes a slot for a call, waiting for one if it must; ``UpstreamCall/run()`` gives it back.
    ///
    /// - Throws: 502/50200 while the platform refuses our credentials, 429/42901 without a slot.
    func takeSlot(for client: String, services: UpstreamServices) async throws(GatewayError) {
        let now = services.clock.now()
        let (isProbe, isAdmitted) = self.state.withLock { state in
            // This call finds out for all others whether the account is accepted again.
            (!state.condition.isAccepted, state.condition.admit(at: now))
        }
        guard isAdmitted else { throw .accountRefused }
        let hasWaited: Bool
        do {
            hasWaited = try await self.slots.acquire(
                client: client,
                weight: services.limiter.limits(of: client).weight,
                within: services.policy.totalTimeout,
                clock: services.clock
            )
        } catch {
            throw .queueFull
        }
        // The wait may have been long.
        guard !hasWaited || isProbe || self.isReady else {
            self.slots.release(at: services.clock.now())
            throw .accountRefused
        }
    }

    /// Takes a slot for a connection without waiting for one.
    ///
    /// - Returns: False when none is free, or the platform refuses our credentials and no probe is due.
    func takeFreeSlot(at now: ContinuousClock.Instant) -> Bool {
        guard self.state.withLock({ $0.condition.admit(at: now) }) else { return false }
        return self.slots.take()
    }

    /// How far the platform's clock is ahead of ours.
    var clockOffset: Duration {
        get { self.state.withLock { $0.clockOffset } }
        set { self.state.withLock { $0.clockOffset = newValue } }
    }

    /// Takes one retry out of the budget, or says no (design, section 4, step 7).
    func takeRetry(at now: ContinuousClock.Instant) -> Bool {
        self.state.withLock { $0.recent.takeRetry(at: now) }
    }

    // MARK: Condition

    /// Notes a fault that the platform told.
    ///
    /// - Returns: Whether that is news.
    func note(_ fault: AccountFault, clock: GatewayClock) -> Bool {
        let now = clock.now()
        let unixNow = clock.unixMilliseconds()
        return self.state.withLock { state in
            let day = DailyQuota(limits: DailyQuota.Allowance(), dayOffset: self.dayOffset)
            let rest = Duration.milliseconds(day.resetInstant(at: unixNow) - unixNow)
            let time = fault == .exhaustedToday ? rest : state.settings.exhaustedTime
            return state.condition.note(fault, exhaustedFor: time, at: now)
        }
    }

    /// Notes an answer that no account would get that is refused, disabled or exhausted.
    ///
    /// - Returns: Whether the account was thought to be one.
    func noteAcceptance(ofAll isOfAll: Bool, at now: ContinuousClock.Instant) -> Bool {
        self.state.withLock { $0.condition.noteAcceptance(ofAll: isOfAll, at: now) }
    }

    /// How the account stands.
    func status(at now: ContinuousClock.Instant) -> AccountStatus {
        let waitingCalls = self.slots.waitingCount
        return self.state.withLock { state in
            let isHeld = state.breakers.contains { $0.breaker.refusedUntil(at: now) != nil }
            return AccountStatus(
                name: self.name,
                kind: state.settings.kind,
                waitingCalls: waitingCalls,
                condition: state.condition.state(at: now),
                isHeld: isHeld,
                clockOffset: state.clockOffset
            )
        }
    }

    /// Whether the account may carry a call of a route.
    func availability(for route: String, at now: ContinuousClock.Instant) -> AccountChoice.Availability {
        self.state.withLock { state in
            if !state.condition.isAccepted, !state.condition.isProbeDue(at: now) {
                return .unavailable(.notReady, retryAfter: state.condition.remaining(at: now))
            }
            if let index = state.indexOfBreaker(of: route),
                let until = state.breakers[index].breaker.refusedUntil(at: now)
            {
                return .unavailable(.breaker, retryAfter: until - now)
            }
            return switch state.condition.state(at: now) {
            case .usable, .refused: .available
            case .disabled: .unavailable(.switchedOff, retryAfter: nil)
            case .exhausted: .unavailable(.switchedOff, retryAfter: state.condition.remaining(at: now))
            }
        }
    }

    // MARK: Breakers

    /// Asks the breaker of a route for an attempt; follow it with ``record(_:for:route:at:)`` in any case.
    ///
    /// - Parameter isFirst: Whether the call begins with it; the retry budget counts calls.
    func admit(route: String, isFirst: Bool, at now: ContinuousClock.Instant) -> CircuitBreaker.Admission {
        self.state.withLock { state in
            if isFirst { state.recent.noteCall(at: now) }
            if let index = state.indexOfBreaker(of: route) { return state.breakers[index].breaker.admit(at: now) }
            var breaker = CircuitBreaker(configuration: state.settings.breaker)
            let admission = breaker.admit(at: now)
            state.breakers.append((route, breaker))
            return admission
        }
    }

    /// Tells the breaker of a route what an attempt came to.
    func record(
        _ outcome: CircuitBreaker.Outcome,
        for permit: CircuitBreaker.Permit,
        route: String,
        at now: ContinuousClock.Instant
    ) {
        self.state.withLock { state in
            guard let index = state.indexOfBreaker(of: route) else { return }
            state.breakers[index].breaker.record(outcome, for: permit, at: now)
        }
    }
}
