/// A call that counts against a token.
public struct TokenUse: Hashable, Sendable {
    /// The token's id.
    public let tokenID: String
    /// How many calls it may make in its life.
    public let maximumCalls: Int
    /// When it ends by itself, in Unix milliseconds.
    public let expiresAt: Int64

    /// Takes the parts.
    public init(tokenID: String, maximumCalls: Int, expiresAt: Int64) {
        self.tokenID = tokenID
        self.maximumCalls = maximumCalls
        self.expiresAt = expiresAt
    }
}
