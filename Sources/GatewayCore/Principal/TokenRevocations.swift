internal import Locking
public import Store

/// Tokens that were taken back before their end: kept in the store, asked in memory.
public final class TokenRevocations: Sendable {
    private struct Subject: Hashable {
        let client: String
        /// Nil for all users.
        let user: String?
    }

    private struct State {
        /// Ids, with when the token ends by itself, in Unix milliseconds.
        var tokens: [String: Int64] = [:]
        /// Up to which second, Unix time, tokens of a client or user are void.
        var subjects: [Subject: Int64] = [:]
    }

    /// Whose tokens were revoked.
    enum Extent: Sendable {
        case user
        case client
    }

    /// How many users of a client have revocations of their own; erasing users who never were must not grow the store.
    private static let maximumUsers = 10_000

    private let store: Store
    private let state = Locked(State())

    /// Reads what was revoked before.
    public init(store: Store) throws(StoreError) {
        self.store = store
        for revocation in try store.tokenRevocations() { self.note(revocation) }
    }

    /// Takes back one token, or all that a user or a client has at this time.
    ///
    /// - Parameters:
    ///   - tokenID: Nil for all tokens of the user.
    ///   - user: Nil for all tokens of the client.
    ///   - now: The present time, in Unix milliseconds.
    public func revoke(tokenID: String? = nil, user: String?, client: String, at now: Int64) async throws(StoreError) {
        let revocation = TokenRevocation(
            client: client,
            user: user,
            tokenID: tokenID,
            revokedAt: now,
            // No token of now lives longer.
            expiresAt: now + (AccessToken.maximumLifetime + 1) * 1000
        )
        try await self.store.revokeTokens(revocation)
        self.note(revocation)
    }

    /// Takes back all tokens that a user has at this time, or all of the client's where too many of its users have
    /// revocations already: those then get new tokens, and one revocation takes the place of many.
    func revokeAll(ofUser user: String, client: String, at now: Int64) async throws(StoreError) -> Extent {
        let ended = Self.ended(at: now)
        let users = self.state.withLock { state in
            state.subjects.lazy.filter { $0.key.client == client && $0.key.user != nil && $0.value > ended }.count
        }
        let extent: Extent = users < Self.maximumUsers ? .user : .client
        try await self.revoke(user: extent == .user ? user : nil, client: client, at: now)
        return extent
    }

    /// Whether a token was taken back.
    func contains(_ token: AccessToken) -> Bool {
        self.state.withLock { state in
            guard !state.tokens.isEmpty || !state.subjects.isEmpty else { return false }
            if state.tokens[Self.key(token.id, of: token.client)] != nil { return true }
            return token.issuedAt <= Self.void(until: token.user, of: token.client, in: state)
        }
    }

    /// The first second, Unix time, whose tokens of this user are not revoked.
    func earliestIssue(user: String, client: String) -> Int64 {
        self.state.withLock { Self.void(until: user, of: client, in: $0) } + 1
    }

    private static func void(until user: String, of client: String, in state: State) -> Int64 {
        max(
            state.subjects[Subject(client: client, user: user)] ?? -1,
            state.subjects[Subject(client: client, user: nil)] ?? -1
        )
    }

    private func note(_ revocation: TokenRevocation) {
        self.state.withLock { state in
            if let tokenID = revocation.tokenID {
                // What has ended by itself needs no revocation; looked for when one is added, which is rare.
                state.tokens = state.tokens.filter { $0.value > revocation.revokedAt }
                state.tokens[Self.key(tokenID, of: revocation.client)] = revocation.expiresAt
            } else {
                let until = revocation.revokedAt / 1000
                let ended = Self.ended(at: revocation.revokedAt)
                state.subjects = state.subjects.filter {
                    // A client's revocation says all that its users' earlier ones said.
                    let isCovered = revocation.user == nil && $0.key.client == revocation.client && $0.value <= until
                    return $0.value > ended && !isCovered
                }
                let subject = Subject(client: revocation.client, user: revocation.user)
                state.subjects[subject] = max(until, state.subjects[subject] ?? 0)
            }
        }
    }

    /// Up to which second tokens have ended by themselves.
    private static func ended(at now: Int64) -> Int64 { now / 1000 - AccessToken.maximumLifetime - 1 }

    /// A client revokes its own tokens only, whatever id it names.
    private static func key(_ tokenID: String, of client: String) -> String {
        client + "/" + tokenID
    }
}
