/// A client as it is stored: neither its key nor any other secret is.
public struct ClientRow: Equatable, Sendable {
    /// The name, chosen by the operator and never used twice.
    public let name: String
    /// What the operator notes about the client.
    public let label: String?
    /// The hash of the API key, 32 bytes.
    public let keyHash: [UInt8]
    /// The hash of the API key before the last rotation, or nil.
    public let previousKeyHash: [UInt8]?
    /// Until when the credentials from before the last rotation are valid, in Unix milliseconds.
    public let previousUntil: Int64?
    /// The public half of the signing credential; nil for a client that may not sign.
    public let appKey: String?
    /// The generation of the client's derived secrets, from 1 on.
    public let version: Int
    /// What the client may do.
    public let scopes: [String]
    /// The kinds of evaluation that the client may use; empty for all.
    public let coreTypes: [String]
    /// The address ranges that the client may come from; empty for all.
    public let addresses: [String]
    /// When the client's credentials end by themselves, in Unix milliseconds.
    public let expiresAt: Int64?
    /// When the client was added, in Unix milliseconds.
    public let createdAt: Int64
    /// When the client was revoked, in Unix milliseconds.
    public let revokedAt: Int64?
}

/// A client to be added.
public struct NewClient: Sendable {
    /// The name.
    public var name: String
    /// What the operator notes about the client.
    public var label: String?
    /// The hash of the API key, 32 bytes.
    public var keyHash: [UInt8]
    /// The public half of the signing credential; nil for a client that may not sign.
    public var appKey: String?
    /// What the client may do; no scope contains a space.
    public var scopes: [String]
    /// The kinds of evaluation that the client may use, without spaces; empty for all.
    public var coreTypes: [String] = []
    /// The address ranges that the client may come from, without spaces; empty for all.
    public var addresses: [String] = []
    /// When the client's credentials end by themselves, in Unix milliseconds.
    public var expiresAt: Int64?
    /// The present time, in Unix milliseconds.
    public var createdAt: Int64

    /// Takes what every client has.
    public init(name: String, keyHash: [UInt8], scopes: [String], createdAt: Int64) {
        self.name = name
        self.keyHash = keyHash
        self.scopes = scopes
        self.createdAt = createdAt
    }
}

/// What a rotation left a client with.
public struct ClientRotation: Equatable, Sendable {
    /// The public half of the signing credential, which stays; nil for a client that may not sign.
    public let appKey: String?
    /// The new generation of the client's derived secrets.
    public let version: Int
}
