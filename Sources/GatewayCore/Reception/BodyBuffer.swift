internal import HTTPWire
internal import Store

/// The content of one body as it arrives, and the account of what it takes up.
///
/// While nobody knows who sends it, what has come counts against the budget of such bodies, wherever it lies. From
/// ``give(to:)`` on it is a client's: its memory, with all of the declared length, counts against that of all bodies, its
/// file against the client's share of the spool.
///
/// `@unchecked Sendable`: filled on the connection's loop only, and read only after the last byte has come.
final class BodyBuffer: @unchecked Sendable {
    /// A reservation of which the end is not known grows by this much at a time.
    private static let growth = 64 << 10
    /// How much of a file is lent.
    private static let opening = 64 << 10

    private let storage: BodyStorage
    private let declared: Int?
    private var client: String?
    private var reservation: MemoryReservation?
    private var reserved = 0
    private var file: SpoolFile?
    private var bytes: [UInt8] = []
    /// What is kept elsewhere on account of this body.
    private var beside = 0
    /// The number of bytes so far.
    private(set) var count = 0

    /// - Parameters:
    ///   - declared: The body's declared length, or nil for a chunked one.
    ///   - unproven: Its part of what bodies of unknown senders may take; nil if it is given to a client at once.
    init(storage: BodyStorage, declared: Int?, unproven: MemoryReservation?) {
        self.storage = storage
        self.declared = declared
        self.reservation = unproven
    }

    /// Whether it is known who sends this.
    var isGiven: Bool { self.client != nil }

    /// Lets a client answer for the content.
    ///
    /// - Throws: 503 when neither memory nor the client's share of the spool has room.
    func give(to client: String) throws(GatewayError) {
        guard self.client == nil else { return }
        let expected = max(self.declared ?? 0, self.count + self.beside)
        if let file = self.file {
            do { try file.give(to: client, reserving: expected) } catch { throw .spoolFull }
            self.reserved = self.beside
            self.reservation = try self.storage.reserveMemory(self.beside)
        } else if let reservation = self.storage.reserveBody(expected) {
            self.reserved = expected
            self.reservation = reservation
            self.bytes.reserveCapacity(self.declared ?? self.count)
        } else {
            self.reserved = self.beside
            self.reservation = try self.storage.reserveMemory(self.beside)
            try self.moveToFile(reserving: expected, client: client)
        }
        self.client = client
    }

    /// - Throws: 503 when a body outgrew memory and the spool has no room.
    func append(_ piece: UnsafeRawBufferPointer) throws(GatewayError) {
        self.count += piece.count
        try self.cover()
        if let file = self.file {
            try Self.write(piece, to: file)
        } else {
            self.bytes.append(contentsOf: piece)
        }
    }

    /// Counts what is kept in memory outside of this buffer.
    ///
    /// - Throws: 503 when there is no room for it.
    func keep(_ count: Int) throws(GatewayError) {
        self.beside += count
        try self.cover()
    }

    /// Says that all bytes have come.
    func finish() {
        self.file?.finish()
    }

    /// A stretch of the content, referred to and not copied.
    func segment(_ range: Range<Int>) -> HTTPBodySegment {
        if let file = self.file { .file(file, range) } else { .bytes(self.bytes, range) }
    }

    /// Lends the beginning of a stretch: all of it that is in memory, at most 64 KiB of a file.
    func withOpening<Result>(of range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard let file = self.file else {
            return self.bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
        }
        return withUnsafeTemporaryAllocation(byteCount: min(range.count, Self.opening), alignment: 1) { buffer in
            let count = file.read(into: buffer, at: range.lowerBound)
            return body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    // MARK: Room

    /// Reserves what is not yet.
    private func cover() throws(GatewayError) {
        let inMemory = self.beside + (self.file == nil || self.client == nil ? self.count : 0)
        guard inMemory > self.reserved else { return }
        if self.client == nil {
            try self.coverUnproven(inMemory)
        } else {
            let missing = inMemory - self.reserved
            for growth in [max(Self.growth, missing), missing] where self.mayGrow(by: growth) {
                guard self.reservation?.grow(by: growth) == true else { continue }
                self.reserved += growth
                return
            }
            guard let client = self.client, self.file == nil else { throw .spoolFull }
            try self.moveToFile(reserving: self.count, client: client)
            self.reserved = min(self.reserved, self.beside)
            self.reservation?.shrink(to: self.reserved)
            try self.cover()
        }
    }

    private func mayGrow(by count: Int) -> Bool {
        self.file != nil || self.reserved + count <= self.storage.configuration.memoryBody
    }

    /// Counts every byte that has come, and none before: to announce many costs nothing.
    private func coverUnproven(_ total: Int) throws(GatewayError) {
        guard self.reservation?.grow(by: total - self.reserved) == true else { throw .unprovenFull }
        self.reserved = total
        guard self.file == nil, self.count > self.storage.configuration.memoryBody else { return }
        try self.moveToFile(reserving: self.count, client: BodyStorage.nobody)
    }

    private func moveToFile(reserving count: Int, client: String) throws(GatewayError) {
        let file = try self.storage.makeFile(reserving: count, client: client)
        do {
            try self.bytes.withUnsafeBytes { try file.append($0) }
        } catch {
            throw .spoolFull
        }
        self.file = file
        self.bytes = []
    }

    private static func write(_ piece: UnsafeRawBufferPointer, to file: SpoolFile) throws(GatewayError) {
        do {
            try file.append(piece)
        } catch {
            throw .spoolFull
        }
    }
}
