internal import Cryptography
internal import Locking
public import Store

/// Tokens that were taken back before their end: kept in the store, asked in memory.
public final class TokenRevocations: Sendable {
    private struct Subject: Hashable {
        let client: String
        /// A user, or a group of users by its name; nil for all users.
        let user: String?
    }

    private struct State {
        /// Ids, with when the token ends by itself, in Unix milliseconds.
        var tokens: [String: Int64] = [:]
        /// Up to which second, Unix time, tokens of a client or user are void.
        var subjects: [Subject: Int64] = [:]
        /// Whether groups of users are among them.
        var hasGroups = false
    }

    /// Whose tokens were revoked.
    enum Extent: Sendable {
        case user
        /// Of all users that share a group with the user.
        case group
    }

    /// How many groups the users of a client fall into; a power of 16, below 65,536.
    private static let groups = 4096

    /// How many users of a client have revocations of their own.
    private let maximumUsers: Int
    private let store: Store
    private let state = Locked(State())

    /// Reads what was revoked before.
    public convenience init(store: Store) throws(StoreError) {
        try self.init(store: store, maximumUsers: 10_000)
    }

    init(store: Store, maximumUsers: Int) throws(StoreError) {
        self.store = store
        self.maximumUsers = maximumUsers
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

    /// Takes back all tokens that a user has at this time.
    ///
    /// Erasing users who never were must not grow the store: where many of a client's users have revocations already,
    /// those of further ones are of a group. Its other users, one in thousands, then need new tokens, as they do
    /// within a day anyway.
    func revokeAll(ofUser user: String, client: String, at now: Int64) async throws(StoreError) -> Extent {
        let ended = Self.ended(at: now)
        let extent = self.state.withLock { state -> Extent in
            guard state.subjects[Subject(client: client, user: user)] == nil else { return .user }
            let users = state.subjects.lazy.filter { subject, until in
                subject.client == client && subject.user.map { !Self.isGroup($0) } ?? false && until > ended
            }
            return users.count < self.maximumUsers ? .user : .group
        }
        try await self.revoke(user: extent == .user ? user : Self.group(of: user), client: client, at: now)
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
        let group = state.hasGroups ? state.subjects[Subject(client: client, user: Self.group(of: user))] : nil
        return max(
            group ?? -1,
            state.subjects[Subject(client: client, user: user)] ?? -1,
            state.subjects[Subject(client: client, user: nil)] ?? -1
        )
    }

    /// The name of a user's group, which is stored: no user has such a name.
    private static func group(of user: String) -> String {
        let digest = SHA256.hash(of: Array(user.utf8)).bytes
        let number = (Int(digest[0]) << 8 | Int(digest[1])) % Self.groups
        return "#" + String(number, radix: 16)
    }

    private static func isGroup(_ user: String) -> Bool { user.utf8.first == UInt8(ascii: "#") }

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
                state.hasGroups = state.hasGroups || revocation.user.map(Self.isGroup) ?? false
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
