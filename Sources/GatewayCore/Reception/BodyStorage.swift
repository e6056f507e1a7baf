public import Cryptography
public import Store

/// Where request bodies go while their call runs: memory within a budget, else an unlinked file.
///
/// No client takes more than a quarter of either, and none of its users more than half of that, so that the uploads of
/// one never refuse those of another. What is small has memory of its own, so that the uploads of all refuse nothing
/// small.
public final class BodyStorage: Sendable {
    /// Limits of what is kept.
    public struct Configuration: Sendable {
        /// The largest body kept in memory; the default is 1 MiB.
        public var memoryBody = 1 << 20
        /// What all bodies in memory may hold together; the default is 64 MiB.
        ///
        /// A quarter of it is for texts: JSON bodies and what is not a file in a form. Of each part, one client holds at
        /// most a quarter.
        public var memoryBudget = 64 << 20
        /// The largest upload; the default is the platform's own limit, 50 MiB (contract yugu, section 1).
        public var uploadBytes = 50 << 20
        /// What signed bodies may hold together before their signature could be checked; the default is 64 MiB.
        ///
        /// Those from one address hold at most a quarter of it, those that claim to be one client's at most half, and so
        /// do those from one site of IPv6 addresses.
        public var unprovenBudget = 64 << 20
        /// How long all of such a body may take; the default is 60 s.
        public var unprovenTimeout = Duration.seconds(60)

        /// The defaults.
        public init() {}
    }

    let configuration: Configuration
    /// What is in memory of uploads.
    private let contents: MemoryBudget
    /// JSON bodies, and what is kept beside uploads.
    private let texts: MemoryBudget
    /// Counts content of which nobody knows yet who sent it, wherever it lies.
    private let unproven: MemoryBudget
    private let spool: SpoolDirectory
    /// Takes no bytes itself: what is received is digested by its copies.
    private let digest: KeyedDigest

    /// Makes a storage.
    ///
    /// - Parameters:
    ///   - spool: Where large bodies go.
    ///   - fingerprintKey: The key of the store whose fingerprints are made of these bodies.
    public init(configuration: Configuration, spool: SpoolDirectory, fingerprintKey: Secret) {
        self.configuration = configuration
        self.texts = MemoryBudget(limit: configuration.memoryBudget / 4)
        self.contents = MemoryBudget(limit: configuration.memoryBudget - self.texts.limit)
        self.unproven = MemoryBudget(limit: configuration.unprovenBudget)
        self.spool = spool
        self.digest = KeyedDigest(key: fingerprintKey)
    }

    /// Bytes of bodies that are in memory now.
    public var memoryBytes: Int { self.contents.usedBytes + self.texts.usedBytes }

    /// Bytes of content now of which nobody knows yet who sent it.
    public var unprovenBytes: Int { self.unproven.usedBytes }

    /// Bytes reserved by bodies that are in files now.
    public var spoolBytes: Int64 { self.spool.reservedBytes }

    /// What digests the parts of one body.
    func makeDigest() -> KeyedDigest {
        self.digest.makeAnother()
    }

    /// A place for one body whose owner is known.
    ///
    /// - Parameter declared: The body's declared length, or nil for a chunked one.
    /// - Throws: 413 for a declared length above the upload limit, 503 when neither memory nor spool has room.
    func makeBuffer(declared: Int?, for owner: BodyOwner) throws(GatewayError) -> BodyBuffer {
        try self.checkLength(declared)
        let buffer = BodyBuffer(storage: self, declared: declared, unproven: nil)
        try buffer.give(to: owner)
        return buffer
    }

    /// A place for one body of which nobody knows yet who sends it.
    ///
    /// - Parameters:
    ///   - address: Where it comes from.
    ///   - client: Who it claims to be of.
    /// - Throws: 413 for a declared length above the upload limit.
    func makeBuffer(declared: Int?, from address: String, claiming client: String) throws(GatewayError) -> BodyBuffer {
        try self.checkLength(declared)
        let room = try self.reserveUnproven(from: address, claiming: client)
        return BodyBuffer(storage: self, declared: declared, unproven: room)
    }

    private func checkLength(_ declared: Int?) throws(GatewayError) {
        guard declared ?? 0 <= self.configuration.uploadBytes else {
            throw .tooLarge(limit: self.configuration.uploadBytes)
        }
    }

    /// An empty part of what content of unknown senders may take, which grows as that comes.
    ///
    /// An address has less than the client that it names: whoever knows a public key can take up the room of its client
    /// from several addresses only, and that of others only with their keys.
    func reserveUnproven(from address: String, claiming client: String) throws(GatewayError) -> BodyRoom {
        let limit = self.unproven.limit
        var shares = [
            MemoryBudget.Share(of: "client/" + client, atMost: limit / 2),
            MemoryBudget.Share(of: "address/" + ClientAddress.subscriber(of: address), atMost: limit / 4),
        ]
        if let site = ClientAddress.site(of: address) {
            shares.append(MemoryBudget.Share(of: "site/" + site, atMost: limit / 2))
        }
        guard let reservation = self.unproven.reserve(0, of: shares) else { throw .unprovenFull }
        return BodyRoom(reservation, bytes: 0)
    }

    /// Room in memory for a body that may stay there; nil if it must go to the spool.
    func reserveContent(_ count: Int, of owner: BodyOwner) -> BodyRoom? {
        guard count <= self.configuration.memoryBody else { return nil }
        return Self.reserve(count, in: self.contents, of: owner)
    }

    /// Room in memory for what is small.
    ///
    /// - Throws: 503 when the owner's share of it, or that of all, has no more.
    func reserveText(_ count: Int, of owner: BodyOwner) throws(GatewayError) -> BodyRoom {
        guard let room = Self.reserve(count, in: self.texts, of: owner) else { throw .spoolFull }
        return room
    }

    private static func reserve(_ count: Int, in budget: MemoryBudget, of owner: BodyOwner) -> BodyRoom? {
        let limit = budget.limit / 4
        var shares = [MemoryBudget.Share(of: "client/" + owner.client, atMost: limit)]
        if let user = owner.user {
            shares.append(MemoryBudget.Share(of: "user/" + owner.client + "/" + user, atMost: limit / 2))
        }
        return budget.reserve(count, of: shares).map { BodyRoom($0, bytes: count) }
    }

    /// A file in an owner's share of the spool.
    ///
    /// - Throws: 503.
    func makeFile(reserving count: Int, for owner: BodyOwner) throws(GatewayError) -> SpoolFile {
        do throws(StoreError) {
            return try self.spool.makeFile(reserving: count, client: owner.client, user: owner.user)
        } catch {
            throw GatewayError(spooling: error)
        }
    }
}

extension GatewayError {
    /// What a client reads when its body found no room on disk.
    init(spooling error: StoreError) {
        self = error.code == .diskLow ? .diskLow : .spoolFull
    }
}
