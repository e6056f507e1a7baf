internal import Cryptography
internal import HTTPWire
internal import Store

/// Finds out who makes a request, from its head alone where that suffices (design, section 4, steps 1 and 2).
struct Authentication: Sendable {
    let clients: ClientDirectory
    let masters: MasterKeys
    let revocations: TokenRevocations
    /// Counts every request whose client is proved, whatever becomes of it.
    let limiter: ClientLimiter
    let clock: GatewayClock
    /// How far the clock of a signing client may be off, and how long its nonces are remembered.
    let signatureWindow: Duration
    let nonces: RecentHashes
    /// Remembers the nonces of handshakes.
    let store: Store
    let failures: FailedCredentials

    /// - Throws: 401/40100 without a valid credential; 400/40001 for malformed fields; 403/40300 from a foreign address
    ///   or for a foreign user; 429/42900 after too many failures.
    func admit(_ head: HTTPRequestHead, from address: String) throws(GatewayError) -> Admission {
        let authorizations = head.fields.values(of: .authorization)
        let isSigned = Self.isSigned(head)
        guard isSigned || !authorizations.isEmpty else { throw .unauthorized }
        guard isSigned else {
            guard authorizations.count == 1, let credential = BearerCredential.text(in: authorizations[0]) else {
                throw self.refusal(address)
            }
            return .accepted(try self.bearer(credential, head: head, address: address))
        }
        guard authorizations.isEmpty else {
            throw .invalid("Send either Authorization or X-App-Key with its signature, not both.")
        }
        return try self.signer(head, address: address)
    }

    /// Who an API key or a token speaks for.
    func bearer(_ credential: String, head: HTTPRequestHead, address: String) throws(GatewayError) -> Principal {
        try self.failures.check(credential, from: address, at: self.clock.now())
        let principal =
            APIKey.isMeant(by: credential)
            ? try self.keyHolder(credential, head: head, address: address)
            : try self.tokenHolder(credential, head: head, address: address)
        self.failures.letIn(credential, at: self.clock.now())
        try self.limiter.countRequest(of: principal)
        return principal
    }

    /// Whether a request is meant to prove itself with a signature.
    ///
    /// An appKey beside a bearer credential is how some SDKs are set up; a signature beside it is a contradiction.
    static func isSigned(_ head: HTTPRequestHead) -> Bool {
        head.fields.contains(.xSignature)
            || head.fields.contains(.xAppKey) && !head.fields.contains(.authorization)
    }

    /// Remembers that a client's signature was right.
    ///
    /// From this subscriber: everyone may know the public key.
    func noteSuccess(of appKey: String, from address: String) {
        self.failures.letIn(Self.name(of: appKey, from: address), at: self.clock.now())
    }

    /// A public key where it is used; a phone changes its address within its network from day to day (RFC 8981).
    private static func name(of appKey: String, from address: String) -> String {
        appKey + " " + ClientAddress.subscriber(of: address)
    }

    /// Counts a credential that cannot be genuine.
    func noteFailure(_ address: String) {
        self.failures.note(address, at: self.clock.now())
    }

    /// - Throws: 401/40100 for a nonce that came before.
    func spend(_ nonce: String, of client: String) throws(GatewayError) {
        guard self.nonces.insert(nonce, of: client, at: self.clock.now()) else {
            throw .badSignature("This X-Nonce was used before; sign every attempt with a new one.")
        }
    }

    private func refusal(_ address: String) -> GatewayError {
        self.noteFailure(address)
        return .unauthorized
    }

    // MARK: API keys

    private func keyHolder(
        _ key: String,
        head: HTTPRequestHead,
        address: String
    ) throws(GatewayError) -> Principal {
        let now = self.clock.unixMilliseconds()
        let hash = APIKey.hash(of: key)
        guard let client = self.clients.client(withKeyHash: hash, at: now) else { throw self.refusal(address) }
        guard !client.isExpired(at: now) else { throw .unauthorized }
        try Self.check(client, comesFrom: address)
        var principal = Self.principal(client, user: try Self.user(in: head), scopes: client.scopes, .apiKey)
        principal.proof = .key(hash)
        return principal
    }

    private static func check(_ client: ClientDirectory.Client, comesFrom address: String) throws(GatewayError) {
        guard client.addresses.isEmpty || client.addresses.contains(where: { $0.contains(address) }) else {
            throw .forbidden("The credential is not accepted from this address.")
        }
    }

    private static func user(in head: HTTPRequestHead) throws(GatewayError) -> String? {
        let users = head.fields.values(of: .speechGateUser)
        guard users.count <= 1, users.allSatisfy(UserID.isValid) else {
            throw .invalid("SpeechGate-User must be one value of 1 to 128 letters, digits or . _ : @ -")
        }
        return users.first
    }

    private static func principal(
        _ client: ClientDirectory.Client,
        user: String?,
        scopes: Set<Scope>,
        _ credential: Principal.Credential
    ) -> Principal {
        var principal = Principal(client: client.name, user: user, scopes: scopes)
        principal.coreTypes = client.coreTypes
        principal.credential = credential
        principal.expiresAt = client.expiresAt
        return principal
    }

    // MARK: Tokens

    /// Tokens come from phones, so the client's address ranges do not bind them.
    private func tokenHolder(
        _ text: String,
        head: HTTPRequestHead,
        address: String
    ) throws(GatewayError) -> Principal {
        let now = self.clock.unixMilliseconds()
        // An unknown client costs what a known one costs: no clock tells which names there are.
        guard let claimed = UnverifiedToken(text),
            let (key, version) = self.masters.tokenKey(named: claimed.keyID, client: claimed.client),
            let token = claimed.verified(with: key)
        else { throw self.refusal(address) }
        // Genuine: what ended by itself, was taken back or is of an old generation is no guess.
        guard token.isValid(at: now), !self.revocations.contains(token),
            let client = self.clients.client(named: token.client), !client.isExpired(at: now),
            client.versions(at: now).contains(version)
        else { throw .unauthorized }
        if let user = try Self.user(in: head), user != token.user {
            throw .forbidden("SpeechGate-User is not the token's user; leave it out.")
        }
        var principal = Self.principal(
            client,
            user: token.user,
            scopes: token.scopes.intersection(client.scopes),
            .token(id: token.id)
        )
        principal.expiresAt = min(token.expiresAt * 1000, client.expiresAt ?? .max)
        principal.maximumCalls = token.maximumCalls
        principal.proof = .token(token, version: version)
        return principal
    }

    // MARK: Signatures

    /// What a request is signed with, wherever it stands.
    struct SignatureParts {
        let appKey: String
        let timestamp: String
        let nonce: String?
        let signature: String
        let names: SignatureNames
    }

    /// How the parts are called where they stand.
    struct SignatureNames {
        let timestamp: String
        let nonce: String

        static let fields = SignatureNames(timestamp: "X-Timestamp", nonce: "X-Nonce")
        static let query = SignatureNames(timestamp: "timestamp", nonce: "nonce")
    }

    private func signer(_ head: HTTPRequestHead, address: String) throws(GatewayError) -> Admission {
        guard let appKey = try Self.only(.xAppKey, in: head),
            let timestamp = try Self.only(.xTimestamp, in: head),
            let signature = try Self.only(.xSignature, in: head)
        else {
            throw .badSignature("A signed request needs X-App-Key, X-Timestamp and X-Signature.")
        }
        let request = try self.signedRequest(
            SignatureParts(
                appKey: appKey,
                timestamp: timestamp,
                nonce: try Self.only(.xNonce, in: head),
                signature: signature,
                names: .fields
            ),
            head: head,
            address: address
        )
        switch head.framing {
        case .none, .length(0): return .accepted(try request.verify([""]))
        default: return .needsBody(request)
        }
    }

    /// Checks everything but the signature itself.
    func signedRequest(
        _ parts: SignatureParts,
        head: HTTPRequestHead,
        address: String
    ) throws(GatewayError) -> SignedRequest {
        if let nonce = parts.nonce, !(1...128).contains(nonce.utf8.count) {
            throw .invalid("\(parts.names.nonce) must be 1 to 128 characters.")
        }
        let name = Self.name(of: parts.appKey, from: address)
        try self.failures.check(name, from: address, at: self.clock.now())
        try self.checkTime(parts.timestamp, name: parts.names.timestamp)
        guard let client = self.clients.client(withAppKey: parts.appKey),
            let signature = Base64.decode(parts.signature).flatMap({ Digest256($0) })
        else { throw self.refusal(address) }
        let now = self.clock.unixMilliseconds()
        guard !client.isExpired(at: now) else { throw .unauthorized }
        try Self.check(client, comesFrom: address)
        let versions = client.versions(at: now)
        var principal = Self.principal(
            client,
            user: try Self.user(in: head),
            scopes: client.scopes.intersection(Scope.signable),
            .signature
        )
        principal.proof = .signature(versions: versions)
        return SignedRequest(
            principal: principal,
            authentication: self,
            secrets: self.masters.signingSecrets(client: client.name, versions: versions),
            appKey: parts.appKey,
            signature: signature,
            nonce: parts.nonce,
            address: address
        )
    }

    private func checkTime(_ text: String, name: String) throws(GatewayError) {
        guard (1...12).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let timestamp = Int64(text)
        else { throw .invalid("\(name) must be Unix time in whole seconds.") }
        let difference = timestamp - self.clock.unixMilliseconds() / 1000
        let window = self.signatureWindow.components.seconds
        guard abs(difference) <= window else {
            let direction = difference < 0 ? "behind" : "ahead of"
            throw .badSignature(
                "\(name) is \(abs(difference)) s \(direction) the gateway's clock, at most \(window) s are accepted; "
                    + "set the clock of the client."
            )
        }
    }

    private static func only(
        _ name: HTTPField.Name,
        in head: HTTPRequestHead
    ) throws(GatewayError) -> String? {
        guard head.fields.count(of: name) <= 1 else { throw .invalid("\(name) was sent twice; send it once.") }
        return head.fields[name]
    }
}

extension ClientDirectory.Client {
    /// The generations of derived secrets that are valid, the present one first.
    func versions(at now: Int64) -> [Int] {
        self.previousUntil.map { now < $0 } == true ? [self.version, self.version - 1] : [self.version]
    }
}

extension Scope {
    /// What a signature can do at most: it covers neither time nor path (design, section 4, step 2), so it is for the
    /// platform's own operations and none that tells of others or deletes.
    static let signable: Set<Scope> = [.evaluate, .tts, .report, .realtime]
}
