public import Store

/// Says who makes a request, and whether it may.
public struct ClientAccess: Sendable {
    /// What is accepted of credentials.
    public struct Configuration: Sendable {
        /// How far the clock of a signing client may be off, and how long nonces are remembered; the default is 300 s.
        public var signatureWindow = Duration.seconds(300)
        /// Invalid credentials that an address may send at once, one a second comes back; the default is 100.
        public var failedCredentials = 100

        /// The defaults.
        public init() {}
    }

    private let authentication: Authentication

    /// Looks clients up in a directory.
    ///
    /// - Parameters:
    ///   - store: Remembers the nonces of WebSocket handshakes.
    ///   - limiter: Counts every request of a client that was found.
    public init(
        configuration: Configuration = Configuration(),
        clients: ClientDirectory,
        masters: MasterKeys,
        revocations: TokenRevocations,
        store: Store,
        limiter: ClientLimiter = ClientLimiter(),
        clock: GatewayClock = .system
    ) {
        self.authentication = Authentication(
            clients: clients,
            masters: masters,
            revocations: revocations,
            limiter: limiter,
            clock: clock,
            signatureWindow: configuration.signatureWindow,
            nonces: RecentHashes(capacity: 65_536, lifetime: configuration.signatureWindow),
            store: store,
            failures: FailedCredentials(burst: configuration.failedCredentials)
        )
    }

    /// The principal of a request to one of the gateway's own paths, whatever its credential covers.
    ///
    /// Signatures are for what SDKs of the platform know: whoever has seen one of a request without content could use it
    /// for any other (design, section 4, step 2).
    ///
    /// - Throws: 401/40100, 400/40001 for malformed fields, 403/40300 for a foreign address or user, 429/42900.
    public func principal(of exchange: Exchange) throws(GatewayError) -> Principal {
        guard !Authentication.isSigned(exchange.head),
            case .accepted(let principal) = try self.admission(of: exchange)
        else {
            throw .badSignature(
                "Signatures are accepted for the platform's own paths only; use an API key or a token here."
            )
        }
        return principal
    }

    /// The principal of a request to one of the gateway's own paths whose credential covers an operation.
    ///
    /// - Throws: As ``principal(of:)``, and 403/40300 without the scope.
    public func principal(of exchange: Exchange, for scope: Scope) throws(GatewayError) -> Principal {
        let principal = try self.principal(of: exchange)
        try principal.require(scope)
        return principal
    }

    /// Who makes a request without content to one of the platform's own paths; the credential covers an operation.
    ///
    /// - Throws: As ``admit(_:for:)``, and 401/40100 for a signature that would have to cover content.
    public func admitWithoutContent(_ exchange: Exchange, for scope: Scope) throws(GatewayError) -> Principal {
        guard case .accepted(let principal) = try self.admit(exchange, for: scope) else {
            throw .badSignature("A request to this path has no content; sign it without any.")
        }
        return principal
    }

    /// Who makes a request with content, which may be part of the proof; the credential covers an operation.
    ///
    /// - Throws: 401/40100, 400/40001 for malformed fields, 403/40300 for a foreign address or user or without the scope,
    ///   429/42900.
    public func admit(_ exchange: Exchange, for scope: Scope) throws(GatewayError) -> Admission {
        let admission = try self.admission(of: exchange)
        switch admission {
        case .accepted(let principal): try principal.require(scope)
        case .needsBody(let request): try request.principal.require(scope)
        }
        return admission
    }

    /// Whether the credential that a principal came with still holds.
    func isCurrent(_ principal: Principal) -> Bool {
        self.authentication.isCurrent(principal)
    }

    /// Who opens a WebSocket connection: by `token` or a signature in its query, or by `Authorization`; the credential
    /// covers an operation.
    ///
    /// - Throws: As ``principal(of:for:)``, and 503/50000 while the store cannot remember a nonce.
    public func principal(
        ofHandshake exchange: Exchange,
        query: HandshakeQuery,
        for scope: Scope
    ) async throws(GatewayError) -> Principal {
        let principal = try await self.authentication.admit(
            handshake: exchange.head,
            query: query,
            from: exchange.clientAddress
        )
        try principal.require(scope)
        return principal
    }

    private func admission(of exchange: Exchange) throws(GatewayError) -> Admission {
        try self.authentication.admit(exchange.head, from: exchange.clientAddress)
    }
}
