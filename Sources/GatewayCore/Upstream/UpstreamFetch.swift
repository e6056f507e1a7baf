public import HTTPWire

/// A call that costs nothing and may be repeated at will, such as fetching a report.
public struct UpstreamFetch: Sendable {
    private let services: UpstreamServices
    private let account: Account
    private let route: UpstreamRoute
    private let principal: Principal
    private let requestID: String
    /// Of the request whose call it is.
    public var trace: RequestTrace?

    /// Takes what it needs.
    ///
    /// - Parameter principal: Whose call it is.
    public init(
        services: UpstreamServices,
        account: Account,
        route: UpstreamRoute,
        principal: Principal,
        requestID: String
    ) {
        self.services = services
        self.account = account
        self.route = route
        self.principal = principal
        self.requestID = requestID
    }

    /// Fetches, with retries, and passes the answer on.
    ///
    /// - Parameters:
    ///   - request: Builds an attempt for a Unix time in seconds and a nonce.
    ///   - classify: Reads the answer.
    /// - Throws: 429/42901 with too many calls at a time or without a slot, 502/50200 without an answer.
    public func run(
        request: @escaping @Sendable (_ timestamp: Int64, _ nonce: String) -> HTTPTransportRequest,
        classify: @escaping @Sendable (HTTPTransportResponse) -> PlatformAnswer
    ) async throws(GatewayError) -> HTTPResponse {
        let client = self.principal.client
        try self.services.limiter.beginCall(client: client, user: self.principal.user)
        defer { self.services.limiter.endCall(client: client, user: self.principal.user) }
        let deadline = self.services.clock.now() + self.services.policy.totalTimeout
        try await self.takeSlot()
        let call = UpstreamCall(
            services: self.services,
            account: self.account,
            route: self.route,
            client: client,
            requestID: self.requestID,
            deadline: deadline,
            makeRequest: request,
            classify: classify,
            trace: self.trace
        )
        let outcome = await call.run()
        switch outcome.result {
        case .answered(let response, _):
            return PassedAnswer.response(response, attempts: outcome.attempts)
        case .coded(let response, let code):
            return PassedAnswer.response(response, code: code, attempts: outcome.attempts)
        case .codeless(let response):
            return try PassedAnswer.codeless(response, attempts: outcome.attempts).response(isOwner: true)
        case .credentialsRefused:
            throw outcome.counted(.accountRefused)
        case .held(let time):
            throw outcome.counted(.platformFailing(retryAfter: time))
        case .malformed:
            throw outcome.counted(.unreachable("its answer cannot be read"))
        case .failed(let error):
            throw outcome.counted(.unreachable(error.reason.rawValue))
        }
    }

    private func takeSlot() async throws(GatewayError) {
        let asked = self.services.clock.now()
        defer { self.trace?.add(self.services.clock.now() - asked, to: .slot) }
        try await self.account.takeSlot(for: self.principal.client, services: self.services)
    }
}
