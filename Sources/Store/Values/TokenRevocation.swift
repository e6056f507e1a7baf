/// Tokens that were taken back.
public struct TokenRevocation: Hashable, Sendable {
    /// The client whose tokens they are.
    public let client: String
    /// The user whose tokens they are; nil for all.
    public let user: String?
    /// The one token; nil for all that were made up to then.
    public let tokenID: String?
    /// When, in Unix milliseconds.
    public let revokedAt: Int64
    /// When the last of the tokens has ended by itself, in Unix milliseconds.
    public let expiresAt: Int64

    /// Takes the parts.
    public init(client: String, user: String?, tokenID: String?, revokedAt: Int64, expiresAt: Int64) {
        self.client = client
        self.user = user
        self.tokenID = tokenID
        self.revokedAt = revokedAt
        self.expiresAt = expiresAt
    }
}
