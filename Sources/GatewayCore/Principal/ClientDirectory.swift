internal import Cryptography
internal import Locking
public import Store

/// The clients that may call, in memory: read by every request, replaced whole when a client changes.
public final class ClientDirectory: Sendable {
    /// A client as requests see it.
    struct Client: Sendable {
        let name: String
        let scopes: Set<Scope>
        /// Nil for all.
        let coreTypes: Set<String>?
        /// Empty for everywhere.
        let addresses: [AddressRange]
        /// In Unix milliseconds.
        let expiresAt: Int64?
        /// The generation of its derived secrets.
        let version: Int
        /// Until when the generation before is valid too, in Unix milliseconds.
        let previousUntil: Int64?

        func isExpired(at now: Int64) -> Bool {
            self.expiresAt.map { $0 <= now } ?? false
        }
    }

    private struct Index {
        var keys: [Digest256: Client] = [:]
        var previousKeys: [Digest256: Client] = [:]
        var appKeys: [String: Client] = [:]
        var names: [String: Client] = [:]
    }

    private let index = Locked(Index())

    /// An empty directory; fill it with ``replace(with:)``.
    public init() {}

    /// Takes over the stored clients; revoked ones no longer exist from here on.
    public func replace(with rows: [ClientRow]) {
        var index = Index()
        for row in rows where row.revokedAt == nil {
            // A range that cannot be read allows nothing, rather than everything.
            let addresses = row.addresses.compactMap(AddressRange.init)
            guard let hash = Digest256(row.keyHash), addresses.count == row.addresses.count else { continue }
            let client = Client(
                name: row.name,
                scopes: Set(row.scopes.compactMap(Scope.init(rawValue:))),
                coreTypes: row.coreTypes.isEmpty ? nil : Set(row.coreTypes),
                addresses: addresses,
                expiresAt: row.expiresAt,
                version: row.version,
                previousUntil: row.previousUntil
            )
            index.names[row.name] = client
            index.keys[hash] = client
            if let previous = row.previousKeyHash.flatMap({ Digest256($0) }) { index.previousKeys[previous] = client }
            if let appKey = row.appKey { index.appKeys[appKey] = client }
        }
        self.index.withLock { $0 = index }
    }

    /// The client with this key hash, which may be the one before its last rotation.
    ///
    /// A hash of a secret tells nothing by the time its look-up takes.
    func client(withKeyHash hash: Digest256, at now: Int64) -> Client? {
        self.index.withLock { index in
            if let client = index.keys[hash] { return client }
            return index.previousKeys[hash].flatMap { client in
                client.previousUntil.map { now < $0 } == true ? client : nil
            }
        }
    }

    /// The client with this public half of a signing credential.
    func client(withAppKey appKey: String) -> Client? {
        self.index.withLock { $0.appKeys[appKey] }
    }

    /// The client of this name.
    func client(named name: String) -> Client? {
        self.index.withLock { $0.names[name] }
    }
}
