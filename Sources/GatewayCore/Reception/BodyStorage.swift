public import Cryptography
public import Store

/// Where request bodies go while their call runs: memory within a budget, else an unlinked file.
public final class BodyStorage: Sendable {
    /// Limits of what is kept.
    public struct Configuration: Sendable {
        /// The largest body kept in memory; the default is 1 MiB.
        public var memoryBody = 1 << 20
        /// What all bodies in memory may hold together; the default is 64 MiB.
        public var memoryBudget = 64 << 20
        /// The largest upload; the default is the platform's own limit, 50 MiB (contract yugu, section 1).
        public var uploadBytes = 50 << 20
        /// What signed bodies may hold together before their signature could be checked; the default is 64 MiB.
        ///
        /// Those from one address hold at most a quarter of it.
        public var unprovenBudget = 64 << 20

        /// The defaults.
        public init() {}
    }

    /// Whose share of the spool content of unknown senders takes; no client has this name.
    static let nobody = ""

    let configuration: Configuration
    private let memory: MemoryBudget
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
        self.memory = MemoryBudget(limit: configuration.memoryBudget)
        self.unproven = MemoryBudget(
            limit: configuration.unprovenBudget,
            ownerLimit: configuration.unprovenBudget / 4
        )
        self.spool = spool
        self.digest = KeyedDigest(key: fingerprintKey)
    }

    /// Bytes of bodies that are in memory now.
    public var memoryBytes: Int { self.memory.usedBytes }

    /// Bytes of content now of which nobody knows yet who sent it.
    public var unprovenBytes: Int { self.unproven.usedBytes }

    /// Bytes reserved by bodies that are in files now.
    public var spoolBytes: Int64 { self.spool.reservedBytes }

    /// What digests the parts of one body.
    func makeDigest() -> KeyedDigest {
        self.digest.makeAnother()
    }

    /// A place for one body of a client.
    ///
    /// - Parameter declared: The body's declared length, or nil for a chunked one.
    /// - Throws: 413 for a declared length above the upload limit, 503 when neither memory nor spool has room.
    func makeBuffer(declared: Int?, client: String) throws(GatewayError) -> BodyBuffer {
        try self.checkLength(declared)
        let buffer = BodyBuffer(storage: self, declared: declared, unproven: nil)
        try buffer.give(to: client)
        return buffer
    }

    /// A place for one body of which nobody knows yet who sends it.
    ///
    /// - Throws: 413 for a declared length above the upload limit.
    func makeBuffer(declared: Int?, from address: String) throws(GatewayError) -> BodyBuffer {
        try self.checkLength(declared)
        return BodyBuffer(storage: self, declared: declared, unproven: try self.reserveUnproven(from: address))
    }

    private func checkLength(_ declared: Int?) throws(GatewayError) {
        guard declared ?? 0 <= self.configuration.uploadBytes else {
            throw .tooLarge(limit: self.configuration.uploadBytes)
        }
    }

    /// An empty part of what content of unknown senders may take, which grows as that comes.
    func reserveUnproven(from address: String) throws(GatewayError) -> MemoryReservation {
        let subscriber = ClientAddress.subscriber(of: address)
        guard let reservation = self.unproven.reserve(0, of: subscriber) else { throw .unprovenFull }
        return reservation
    }

    /// Room in memory for a body that may stay there; nil if it must go to the spool.
    func reserveBody(_ count: Int) -> MemoryReservation? {
        guard count <= self.configuration.memoryBody else { return nil }
        return self.memory.reserve(count)
    }

    /// Room in memory for a small body.
    ///
    /// - Throws: 503 when all bodies together have no more.
    func reserveMemory(_ count: Int) throws(GatewayError) -> MemoryReservation {
        guard let reservation = self.memory.reserve(count) else { throw .spoolFull }
        return reservation
    }

    func makeFile(reserving count: Int, client: String) throws(GatewayError) -> SpoolFile {
        do {
            return try self.spool.makeFile(reserving: count, client: client)
        } catch {
            throw .spoolFull
        }
    }
}
