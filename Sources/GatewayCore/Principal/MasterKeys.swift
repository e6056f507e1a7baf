public import Cryptography
internal import Locking

/// What all derived secrets come from: the master secret, and the one before it while it is being replaced.
///
/// A derived secret is HKDF-SHA256 over purpose, client name and version (design, section 4, step 2), so nothing secret
/// is stored, and raising the version ends a secret.
///
/// Both can be replaced while calls are served: what was derived from a master that is among the new ones stays valid.
public final class MasterKeys: Sendable {
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

    private struct State {
        /// The present one first.
        let generations: [Generation]
        let addressKeys: [Secret]
    }

    private let state: Locked<State>

    /// Takes the master secret.
    ///
    /// - Parameter previous: The secret before it, whose tokens and signatures are still accepted; or nil.
    public init(current: Secret, previous: Secret? = nil) {
        self.state = Locked(Self.state(current: current, previous: previous))
    }

    /// Takes other masters from now on.
    public func replace(current: Secret, previous: Secret?) {
        let next = Self.state(current: current, previous: previous)
        self.state.withLock { $0 = next }
    }

    private static func state(current: Secret, previous: Secret?) -> State {
        let generations = [current, previous].compactMap { $0 }.map { secret in
            let name = Self.derive(from: secret, .name, client: "", version: 0, count: 4)
            return Generation(secret: secret, name: name.withBytes { Hex.encode($0) })
        }
        return State(
            generations: generations,
            addressKeys: generations.map { Self.derive(from: $0.secret, .address, client: "", version: 0) }
        )
    }

    private var generations: [Generation] { self.state.withLock { $0.generations } }

    /// The key that tokens are signed with now, and its name: master and version.
    func tokenKey(client: String, version: Int) -> (id: String, key: Secret) {
        // Both of one master, whatever is replaced meanwhile.
        let generation = self.generations[0]
        let key = Self.derive(from: generation.secret, .token, client: client, version: version)
        return ("\(generation.name).\(version)", key)
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
    public var addressKeys: [Secret] { self.state.withLock { $0.addressKeys } }

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
