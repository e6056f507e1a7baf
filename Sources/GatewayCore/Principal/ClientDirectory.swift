internal import Cryptography
internal import Locking
public import Store

/// The clients that may call, in memory: read by every request, replaced whole when a client changes.
public final class ClientDirectory: Sendable {
    /// A client as requests see it.
    struct Client: Sendable {
        let name: String
        let scopes: Set<Scope>
    }

    private let clients = Locked<[Digest256: Client]>([:])

    /// An empty directory; fill it with ``replace(with:)``.
    public init() {}

    /// Takes over the stored clients; revoked ones no longer exist from here on.
    public func replace(with rows: [ClientRow]) {
        var clients: [Digest256: Client] = [:]
        for row in rows where row.revokedAt == nil {
            guard let hash = Digest256(row.keyHash) else { continue }
            clients[hash] = Client(name: row.name, scopes: Set(row.scopes.compactMap(Scope.init(rawValue:))))
        }
        self.clients.withLock { $0 = clients }
    }

    /// The client with this key hash.
    ///
    /// A hash of a secret tells nothing by the time its look-up takes.
    func client(withKeyHash hash: Digest256) -> Client? {
        self.clients.withLock { $0[hash] }
    }
}
