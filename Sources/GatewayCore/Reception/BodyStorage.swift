public import HTTPWire
public import Store

/// Where request bodies go while their call runs: memory within a budget, else an unlinked file.
public final class BodyStorage: Sendable {
    /// Limits of what is kept.
    public struct Configuration: Sendable {
        /// The largest body kept in memory. The default is 1 MiB.
        public var memoryBody = 1 << 20
        /// What all bodies in memory may hold together. The default is 64 MiB.
        public var memoryBudget = 64 << 20
        /// The largest upload. The default is the platform's own limit, 50 MiB (contract yugu, section 1).
        public var uploadBytes = 50 << 20

        /// The defaults.
        public init() {}
    }

    let configuration: Configuration
    private let memory: MemoryBudget
    private let spool: SpoolDirectory

    /// Makes a storage.
    ///
    /// - Parameter spool: Where large bodies go.
    public init(configuration: Configuration, spool: SpoolDirectory) {
        self.configuration = configuration
        self.memory = MemoryBudget(limit: configuration.memoryBudget)
        self.spool = spool
    }

    /// A place for one body.
    ///
    /// - Parameters:
    ///   - declared: The body's declared length, or nil for a chunked one.
    ///   - client: Whose share of the spool a large body takes.
    /// - Throws: 413 for a declared length above the upload limit, 503 when neither memory nor spool has room.
    func makeBuffer(declared: Int?, client: String) throws(GatewayError) -> BodyBuffer {
        if let declared, declared > self.configuration.uploadBytes {
            throw .tooLarge(limit: self.configuration.uploadBytes)
        }
        let first = declared ?? 0
        if first <= self.configuration.memoryBody, self.memory.reserve(first) {
            return BodyBuffer(storage: self, client: client, memoryReserved: first)
        }
        return BodyBuffer(storage: self, client: client, file: try self.makeFile(reserving: first, client: client))
    }

    /// Whether a body in memory may grow to `count` bytes; its reservation grows by whole 64 KiB then.
    fileprivate func grow(from reserved: Int, toHold count: Int) -> Int? {
        guard count <= self.configuration.memoryBody else { return nil }
        let wanted = min(self.configuration.memoryBody, (count + 0xFFFF) & ~0xFFFF)
        return self.memory.reserve(wanted - reserved) ? wanted : nil
    }

    fileprivate func makeFile(reserving count: Int, client: String) throws(GatewayError) -> SpoolFile {
        do {
            return try self.spool.makeFile(reserving: count, client: client)
        } catch {
            throw .spoolFull
        }
    }

    fileprivate func release(_ count: Int) {
        self.memory.release(count)
    }
}

/// The content of one body as it arrives.
///
/// `@unchecked Sendable`: filled on the connection's loop only, and read only after the last byte has come.
final class BodyBuffer: @unchecked Sendable {
    private let storage: BodyStorage
    private let client: String
    private var bytes: [UInt8] = []
    private var memoryReserved: Int
    private var file: SpoolFile?
    private(set) var count = 0

    init(storage: BodyStorage, client: String, memoryReserved: Int) {
        self.storage = storage
        self.client = client
        self.memoryReserved = memoryReserved
        self.bytes.reserveCapacity(memoryReserved)
    }

    init(storage: BodyStorage, client: String, file: SpoolFile) {
        self.storage = storage
        self.client = client
        self.memoryReserved = 0
        self.file = file
    }

    deinit {
        self.storage.release(self.memoryReserved)
    }

    /// - Throws: 503 when a body outgrew memory and the spool has no room.
    func append(_ piece: UnsafeRawBufferPointer) throws(GatewayError) {
        self.count += piece.count
        if self.file == nil, self.count > self.memoryReserved {
            if let reserved = self.storage.grow(from: self.memoryReserved, toHold: self.count) {
                self.memoryReserved = reserved
            } else {
                try self.moveToFile()
            }
        }
        guard let file = self.file else {
            self.bytes.append(contentsOf: piece)
            return
        }
        do {
            try file.append(piece)
        } catch {
            throw .spoolFull
        }
    }

    /// A stretch of the content, referred to and not copied; it keeps the buffer alive.
    func segment(_ range: Range<Int>) -> HTTPBodySegment {
        if let file = self.file { return .file(file, range) }
        return .bytes(self.bytes, range)
    }

    private func moveToFile() throws(GatewayError) {
        let file = try self.storage.makeFile(reserving: self.count, client: self.client)
        do {
            try self.bytes.withUnsafeBytes { try file.append($0) }
        } catch {
            throw .spoolFull
        }
        self.file = file
        self.bytes = []
        self.storage.release(self.memoryReserved)
        self.memoryReserved = 0
    }
}
