/// A client as it is stored: the key itself is not.
public struct ClientRow: Equatable, Sendable {
    /// The name, chosen by the operator and never used twice.
    public let name: String
    /// The hash of the API key, 32 bytes.
    public let keyHash: [UInt8]
    /// What the client may do.
    public let scopes: [String]
    /// When the client was added, in Unix milliseconds.
    public let createdAt: Int64
    /// When the client was revoked, in Unix milliseconds.
    public let revokedAt: Int64?
}

/// A client to be added.
public struct NewClient: Sendable {
    /// The name.
    public var name: String
    /// The hash of the API key, 32 bytes.
    public var keyHash: [UInt8]
    /// What the client may do; no scope contains a space.
    public var scopes: [String]
    /// The present time, in Unix milliseconds.
    public var createdAt: Int64

    /// Takes the parts.
    public init(name: String, keyHash: [UInt8], scopes: [String], createdAt: Int64) {
        self.name = name
        self.keyHash = keyHash
        self.scopes = scopes
        self.createdAt = createdAt
    }
}
