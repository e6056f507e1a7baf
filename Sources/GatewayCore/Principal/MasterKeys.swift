public import Cryptography

/// What all derived secrets come from: the master secret, and the one before it while it is being replaced.
///
/// A derived secret is HKDF-SHA256 over purpose, client name and version (design, section 4, step 2), so nothing secret
/// is stored, and raising the version ends a secret.
public struct MasterKeys: Sendable {
    /// What a derived secret is for.
    private enum Purpose: String {
        case token
        case signing
        case name
        case address
    }

    private struct Generation: Sendable {
        let secret: Secret
        /// Tells masters apart in the `kid` of tokens and nothing about them.
        let name: String
    }

    /// The present one first.
    private let generations: [Generation]

    /// Takes the master secret.
    ///
    /// - Parameter previous: The secret before it, whose tokens and signatures are still accepted; or nil.
    public init(current: Secret, previous: Secret? = nil) {
        self.generations = [current, previous].compactMap { $0 }.map { secret in
            let name = Self.derive(from: secret, .name, client: "", version: 0, count: 4)
            return Generation(secret: secret, name: name.withBytes { Hex.encode($0) })
        }
    }

    /// The name of the key that tokens are signed with now: master and version.
    func tokenKeyID(version: Int) -> String {
        "\(self.generations[0].name).\(version)"
    }

    /// The key that tokens are signed with now.
    func tokenKey(client: String, version: Int) -> Secret {
        Self.derive(from: self.generations[0].secret, .token, client: client, version: version)
    }

    /// The key of this name, and of which version it is; nil when none has such a name.
    func tokenKey(named keyID: String, client: String) -> (key: Secret, version: Int)? {
        guard let dot = keyID.firstIndex(of: "."), let version = Int(keyID[keyID.index(after: dot)...]),
            // Written as we write it, and in no other way.
            let generation = self.generations.first(where: { keyID == "\($0.name).\(version)" })
        else { return nil }
        return (Self.derive(from: generation.secret, .token, client: client, version: version), version)
    }

    /// The secret half of a client's signing credential, as its client gets it.
    public func signingSecret(client: String, version: Int) -> String {
        Self.signingSecret(from: self.generations[0].secret, client: client, version: version)
    }

    /// The secrets that a client's signatures may be made with.
    func signingSecrets(client: String, versions: [Int]) -> [Secret] {
        self.generations.flatMap { generation in
            versions.map { Secret(Self.signingSecret(from: generation.secret, client: client, version: $0)) }
        }
    }

    /// The keys that addresses given to clients are sealed with: the first seals, all of them open.
    public var addressKeys: [Secret] {
        self.generations.map { Self.derive(from: $0.secret, .address, client: "", version: 0) }
    }

    private static func signingSecret(from master: Secret, client: String, version: Int) -> String {
        Self.derive(from: master, .signing, client: client, version: version).withBytes {
            Base64.encode($0, as: .urlSafe)
        }
    }

    private static func derive(
        from master: Secret,
        _ purpose: Purpose,
        client: String,
        version: Int,
        count: Int = 32
    ) -> Secret {
        var info = LengthPrefixedFields()
        info.append("speechgate")
        info.append(purpose.rawValue)
        info.append(client)
        info.append(String(version))
        return HKDFSHA256.deriveKey(input: master, salt: [], info: info.bytes, count: count)
    }
}
