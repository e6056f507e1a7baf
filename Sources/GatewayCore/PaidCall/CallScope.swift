internal import Cryptography
public import Store

/// What a key belongs to: client, user and key, so that equal keys of different tenants never meet.
public struct CallScope: Hashable, Sendable {
    /// The client's name.
    public let client: String
    /// The user, or nil.
    public let user: String?
    /// The client's key.
    public let key: IdempotencyKey
    /// The scope's hash, under which the store knows it.
    public let hash: ScopeHash
    /// Length-prefixed parts: no two scopes have the same bytes.
    private let bytes: [UInt8]

    /// Takes the parts.
    public init(client: String, user: String?, key: IdempotencyKey) {
        self.client = client
        self.user = user
        self.key = key
        var fields = LengthPrefixedFields()
        fields.append(client)
        fields.bytes.append(user == nil ? 0 : 1)
        fields.append(user ?? "")
        fields.append(key.text)
        self.bytes = fields.bytes
        let digest = SHA256.hash(of: self.bytes)
        self.hash = digest.withBytes { digest in
            ScopeHash(
                digest.loadUnaligned(as: UInt64.self).bigEndian,
                digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
            )
        }
    }

    /// The key that the platform sees: 32 hex digits of an HMAC, the same even if the database is lost.
    func upstreamKey(secret: Secret) -> String {
        let code = HMACSHA256.authenticationCode(for: self.bytes, key: secret)
        return code.withBytes { Hex.encode(UnsafeRawBufferPointer(rebasing: $0.prefix(16))) }
    }
}
