public import Cryptography
internal import Locking

/// A platform account: its keys, and what its use has taught about it.
public final class Account: Sendable {
    /// The operator's name for it.
    public let name: String
    /// The public half of its credentials.
    public let appKey: String
    /// The secret half; nothing prints it.
    public let secretKey: Secret
    /// Calls at a time, and who waits for one.
    let slots: AccountSlots

    private struct State {
        var isReady = true
        var nextProbe: ContinuousClock.Instant?
        var clockOffset = Duration.zero
        var recent = RecentCalls()
    }

    /// While an account is refused, one call in this time finds out whether it still is.
    private static let probeInterval = Duration.seconds(10)

    private let state = Locked(State())

    /// Makes an account.
    ///
    /// - Parameters:
    ///   - concurrency: Calls at a time, at least 1.
    ///   - queueLength: Calls that may wait for one of them.
    ///   - queueWait: How long one may wait.
    public init(
        name: String,
        appKey: String,
        secretKey: Secret,
        concurrency: Int = 64,
        queueLength: Int = 256,
        queueWait: Duration = .seconds(30)
    ) {
        self.name = name
        self.appKey = appKey
        self.secretKey = secretKey
        self.slots = AccountSlots(concurrency: concurrency, queueLength: queueLength, queueWait: queueWait)
    }

    /// Whether the platform accepts the account's credentials, as far as is known.
    public var isReady: Bool { self.state.withLock { $0.isReady } }

    /// Whether a call may be sent: always when ready, else one call in ten seconds.
    private func admits(at now: ContinuousClock.Instant) -> Bool {
        self.state.withLock { state in
            guard !state.isReady else { return true }
            if let next = state.nextProbe, now < next { return false }
            state.nextProbe = now + Self.probeInterval
            return true
        }
    }

    /// Takes a slot for a call, waiting for one if it must; ``UpstreamCall/run()`` gives it back.
    ///
    /// - Throws: 502/50200 while the platform refuses our credentials, 429/42901 without a slot.
    func takeSlot(for client: String, services: UpstreamServices) async throws(GatewayError) {
        // This call finds out for all others whether the account is accepted again.
        let isProbe = !self.isReady
        guard self.admits(at: services.clock.now()) else { throw .accountRefused }
        do {
            try await self.slots.acquire(
                client: client,
                weight: services.limiter.limits(of: client).weight,
                within: services.policy.totalTimeout,
                clock: services.clock
            )
        } catch {
            throw .queueFull
        }
        // The wait may have been long.
        guard isProbe || self.isReady else {
            self.slots.release(at: services.clock.now())
            throw .accountRefused
        }
    }

    /// Notes that the platform refused our credentials.
    ///
    /// - Returns: Whether that is news.
    func noteRefusal(at now: ContinuousClock.Instant) -> Bool {
        self.state.withLock { state in
            let isNews = state.isReady
            state.isReady = false
            state.nextProbe = now + Self.probeInterval
            return isNews
        }
    }

    /// Notes an answer that is no refusal of our credentials.
    ///
    /// - Returns: Whether the account was thought refused.
    func noteAcceptance() -> Bool {
        self.state.withLock { state in
            defer { state.isReady = true }
            return !state.isReady
        }
    }

    /// How far the platform's clock is ahead of ours.
    var clockOffset: Duration {
        get { self.state.withLock { $0.clockOffset } }
        set { self.state.withLock { $0.clockOffset = newValue } }
    }

    /// Counts a call for the retry budget.
    func noteCall(at now: ContinuousClock.Instant) {
        self.state.withLock { $0.recent.noteCall(at: now) }
    }

    /// Takes one retry out of the budget, or says no (design, section 4, step 7).
    func takeRetry(at now: ContinuousClock.Instant) -> Bool {
        self.state.withLock { $0.recent.takeRetry(at: now) }
    }
}
