internal import Cryptography
internal import JSONScan

/// A short-lived credential for one user: a JWT (RFC 7519) signed with HS256 in compact form (RFC 7515, section 3.1).
struct AccessToken: Hashable, Sendable {
    /// Longer texts are no tokens of ours.
    static let maximumLength = 1024
    /// The longest life in seconds.
    static let maximumLifetime: Int64 = 86_400
    static let issuer = "speechgate"

    /// Names the token for revocation.
    let id: String
    let client: String
    let user: String
    let scopes: Set<Scope>
    /// All times in Unix seconds.
    let issuedAt: Int64
    let notBefore: Int64
    let expiresAt: Int64
    /// How many calls it may make; nil for any number.
    let maximumCalls: Int?

    /// The token as text.
    func encode(keyID: String, key: Secret) -> String {
        var header = JSONWriter()
        header.object { json in
            json.member("alg", "HS256")
            json.member("typ", "JWT")
            json.member("kid", keyID)
        }
        var claims = JSONWriter()
        claims.object { json in
            json.member("iss", Self.issuer)
            json.member("sub", self.user)
            json.member("client", self.client)
            json.member("jti", self.id)
            json.member("iat", self.issuedAt)
            json.member("nbf", self.notBefore)
            json.member("exp", self.expiresAt)
            json.member("scope", Scope.allCases.filter(self.scopes.contains).map(\.rawValue).joined(separator: " "))
            if let maximumCalls = self.maximumCalls { json.member("calls", maximumCalls) }
        }
        let signed = Base64.encode(header.bytes, as: .urlSafe) + "." + Base64.encode(claims.bytes, as: .urlSafe)
        let code = HMACSHA256.authenticationCode(for: signed, key: key)
        return signed + "." + Base64.encode(code, as: .urlSafe)
    }

    /// Whether the token may be used at a time, in Unix milliseconds.
    func isValid(at now: Int64) -> Bool {
        self.notBefore * 1000 <= now && now < self.expiresAt * 1000
    }
}

/// A text that has the form of a token; who it is from is a mere claim until ``verified(with:)``.
struct UnverifiedToken: Sendable {
    /// The name of the key that it claims to be signed with.
    let keyID: String
    /// The client that it claims to be of.
    let client: String
    private let signed: String
    private let code: Digest256
    private let claims: JSONScanner

    /// Takes a text; nil unless it has exactly the form that ``AccessToken/encode(keyID:key:)`` gives.
    ///
    /// No other algorithm exists here: a header that names one, or holds anything but the three members, is refused
    /// before a key is looked for (RFC 8725, sections 3.1 and 3.2).
    init?(_ text: String) {
        guard text.utf8.count <= AccessToken.maximumLength else { return nil }
        let segments = text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard segments.count == 3,
            let code = Base64.decode(String(segments[2]), as: .urlSafe).flatMap({ Digest256($0) }),
            let header = Self.object(in: segments[0]), let claims = Self.object(in: segments[1]),
            let root = header.root, header.members(of: root).reduce(0, { count, _ in count + 1 }) == 3,
            Self.text("alg", in: header) == "HS256", Self.text("typ", in: header) == "JWT",
            let keyID = Self.text("kid", in: header), let client = Self.text("client", in: claims)
        else { return nil }
        self.keyID = keyID
        self.client = client
        self.signed = String(text[..<segments[1].endIndex])
        self.code = code
        self.claims = claims
    }

    /// The token, when this key signed it and all claims are there; else nil.
    func verified(with key: Secret) -> AccessToken? {
        // Compared in constant time.
        guard HMACSHA256.authenticationCode(for: self.signed, key: key) == self.code,
            Self.text("iss", in: self.claims) == AccessToken.issuer,
            let id = Self.text("jti", in: self.claims),
            let user = Self.text("sub", in: self.claims), UserID.isValid(user),
            let scopes = Self.text("scope", in: self.claims),
            let issuedAt = self.time("iat"), let notBefore = self.time("nbf"), let expiresAt = self.time("exp")
        else { return nil }
        let calls = self.claims.value(at: "calls").map { self.claims.int(of: $0) }
        if let calls, calls == nil { return nil }
        return AccessToken(
            id: id,
            client: self.client,
            user: user,
            scopes: Set(scopes.split(separator: " ").compactMap { Scope(rawValue: String($0)) }),
            issuedAt: issuedAt,
            notBefore: notBefore,
            expiresAt: expiresAt,
            maximumCalls: calls ?? nil
        )
    }

    private func time(_ name: String) -> Int64? {
        self.claims.value(at: name).flatMap(self.claims.int(of:)).flatMap { number in
            // Far from where a multiplication by a thousand would overflow.
            (0...1 << 40).contains(number) ? Int64(number) : nil
        }
    }

    private static func object(in segment: Substring) -> JSONScanner? {
        guard let bytes = Base64.decode(String(segment), as: .urlSafe),
            let scanner = try? JSONScanner(validating: bytes, maximumDepth: 4, refusingDuplicateMembers: true),
            scanner.root?.kind == .object
        else { return nil }
        return scanner
    }

    private static func text(_ name: String, in scanner: JSONScanner) -> String? {
        scanner.value(at: name).flatMap { scanner.string(of: $0) }
    }
}
