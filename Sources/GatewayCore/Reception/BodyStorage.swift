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
        public var unprovenBudget = 64 << 20

        /// The defaults.
        public init() {}
    }

    let configuration: Configuration
    private let memory: MemoryBudget
    /// Counts content of which nobody knows yet who sent it, wherever it lies.
    let unproven: MemoryBudget
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
        self.unproven = MemoryBudget(limit: configuration.unprovenBudget)
        self.spool = spool
        self.digest = KeyedDigest(key: fingerprintKey)
    }

    /// What digests the parts of one body.
    func makeDigest() -> KeyedDigest {
        self.digest.makeAnother()
    }

    /// A place for one body.
    ///
    /// - Parameters:
    ///   - declared: The body's declared length, or nil for a chunked one.
    ///   - client: Whose share of the spool a large body takes.
    /// - Throws: 413 for a declared length above the upload limit, 503 when neither memory nor spool has room.
    func makeBuffer(declared: Int?, client: String) throws(GatewayError) -> BodyBuffer {
        let first = declared ?? 0
        guard first <= self.configuration.uploadBytes else { throw .tooLarge(limit: self.configuration.uploadBytes) }
        if first <= self.configuration.memoryBody, let reservation = self.memory.reserve(first) {
            return BodyBuffer(storage: self, client: client, place: .memory(reservation, reserved: first))
        }
        return BodyBuffer(
            storage: self,
            client: client,
            place: .file(try self.makeFile(reserving: first, client: client))
        )
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
