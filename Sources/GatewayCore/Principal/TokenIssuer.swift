internal import Cryptography

/// Makes tokens for the users of a client.
public struct TokenIssuer: Sendable {
    /// What is wanted.
    public struct Request: Sendable {
        /// The client whose user it is.
        public var client: String
        /// The user.
        public var user: String
        /// The life of the token in seconds; the default is two hours.
        public var lifetime = 7200
        /// What it may do; nil for the usual four, as far as the client has them.
        public var scopes: Set<Scope>?
        /// How many calls it may make; nil for any number.
        public var maximumCalls: Int?

        /// Takes what has no default.
        public init(client: String, user: String) {
            self.client = client
            self.user = user
        }
    }

    /// A token that was made.
    public struct Issued: Sendable {
        private let token: Secret
        /// Names it for revocation.
        public let id: String
        /// Its life in seconds.
        public let lifetime: Int

        init(_ text: String, id: String, lifetime: Int) {
            self.token = Secret(text)
            self.id = id
            self.lifetime = lifetime
        }

        /// The token, to be handed out once.
        public var text: String { self.token.withBytes { String(decoding: $0, as: UTF8.self) } }
    }

    /// Lives that a token may have, in seconds.
    public static let lifetimes = 1...Int(AccessToken.maximumLifetime)
    /// Numbers of calls that a token may be limited to.
    public static let callLimits = 1...1_000_000

    private let clients: ClientDirectory
    private let masters: MasterKeys
    private let revocations: TokenRevocations
    private let clock: GatewayClock

    /// Takes what it needs.
    public init(
        clients: ClientDirectory,
        masters: MasterKeys,
        revocations: TokenRevocations,
        clock: GatewayClock = .system
    ) {
        self.clients = clients
        self.masters = masters
        self.revocations = revocations
        self.clock = clock
    }

    /// Makes a token.
    ///
    /// - Throws: 400/40001 for what cannot be, with the field's name; 403/40300 for more than the client has;
    ///   404/40400 without such a client.
    public func issue(_ request: Request) throws(GatewayError) -> Issued {
        let now = self.clock.unixMilliseconds()
        guard UserID.isValid(request.user) else {
            throw .invalid("userId must be 1 to 128 letters, digits or . _ : @ -")
        }
        guard Self.lifetimes.contains(request.lifetime) else {
            throw .invalid("ttlSeconds must be \(Self.lifetimes.lowerBound) to \(Self.lifetimes.upperBound).")
        }
        if let calls = request.maximumCalls, !Self.callLimits.contains(calls) {
            throw .invalid("maximumCalls must be \(Self.callLimits.lowerBound) to \(Self.callLimits.upperBound).")
        }
        guard let client = self.clients.client(named: request.client), !client.isExpired(at: now) else {
            throw .notFound("There is no such client, or it has ended.")
        }
        let scopes = request.scopes ?? client.scopes.intersection(Scope.tokenDefaults)
        guard !scopes.contains(.tokens) else {
            throw .invalid("scopes must not hold 'tokens': a token makes no tokens.")
        }
        guard !scopes.isEmpty else { throw .invalid("scopes must name at least one scope that the client has.") }
        if let missing = Scope.allCases.first(where: { scopes.contains($0) && !client.scopes.contains($0) }) {
            throw .forbidden("The client lacks the scope '\(missing.rawValue)'; no token has more than its client.")
        }
        // No longer than the client itself.
        let rest = client.expiresAt.map { Int(($0 - now + 999) / 1000) } ?? .max
        let lifetime = min(request.lifetime, rest)
        // After a revocation within this second, the token belongs to the next one.
        let issuedAt = max(now / 1000, self.revocations.earliestIssue(user: request.user, client: client.name))
        let token = AccessToken(
            id: Base64.encode(SecureRandom.bytes(count: 16), as: .urlSafe),
            client: client.name,
            user: request.user,
            scopes: scopes,
            issuedAt: issuedAt,
            notBefore: now / 1000,
            expiresAt: now / 1000 + Int64(lifetime),
            maximumCalls: request.maximumCalls
        )
        let (keyID, key) = self.masters.tokenKey(client: client.name, version: client.version)
        let text = token.encode(keyID: keyID, key: key)
        return Issued(text, id: token.id, lifetime: lifetime)
    }
}
