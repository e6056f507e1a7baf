internal import HTTPWire
internal import Store

/// The content of one body as it arrives, and the account of what it takes up.
///
/// While nobody knows who sends it, what has come counts against the budget of such bodies, wherever it lies. From
/// ``give(to:)`` on it is a client's: what is in memory, with all of the declared length, counts against the owner's
/// share of memory, what is in a file against its share of the spool.
///
/// `@unchecked Sendable`: filled on the connection's loop only, and read only after the last byte has come.
final class BodyBuffer: @unchecked Sendable {
    /// Room for content of which the end is not known grows by this much at a time.
    private static let growth = 64 << 10
    /// And room for what is kept beside it.
    private static let besideGrowth = 1 << 10
    /// How much of a file is lent.
    private static let opening = 64 << 10

    private let storage: BodyStorage
    private let declared: Int?
    private var owner: BodyOwner?
    /// For all that has come while the client is not known, then for content in memory; nil once that is in a file.
    private var room: BodyRoom?
    /// For what is kept beside the content; nil while the client is not known.
    private var besideRoom: BodyRoom?
    private var file: SpoolFile?
    private var bytes: [UInt8] = []
    /// What is kept elsewhere on account of this body.
    private var beside = 0
    private var isComplete = false
    /// The number of bytes so far.
    private(set) var count = 0

    /// - Parameters:
    ///   - declared: The body's declared length, or nil for a chunked one.
    ///   - unproven: Its part of what bodies of unknown senders may take; nil if it is given to a client at once.
    init(storage: BodyStorage, declared: Int?, unproven: BodyRoom?) {
        self.storage = storage
        self.declared = declared
        self.room = unproven
    }

    /// Whether it is known who sends this.
    var isGiven: Bool { self.owner != nil }

    /// How long all of it may take, if that is less than what everyone has.
    var timeLimit: Duration? { self.isGiven ? nil : self.storage.configuration.unprovenTimeout }

    /// Lets a client answer for the content.
    ///
    /// - Throws: 503 when neither the owner's share of memory nor that of the spool has room; then nothing changes.
    func give(to owner: BodyOwner) throws(GatewayError) {
        guard !self.isGiven else { return }
        let besideRoom = try self.storage.reserveText(self.beside, of: owner)
        let expected = self.isComplete ? self.count : max(self.declared ?? 0, self.count)
        if let file = self.file {
            do throws(StoreError) {
                try file.give(to: owner.client, user: owner.user, reserving: expected)
            } catch {
                throw GatewayError(spooling: error)
            }
            self.room = nil
        } else if let room = self.storage.reserveContent(expected, of: owner) {
            self.room = room
            if !self.isComplete { self.bytes.reserveCapacity(expected) }
        } else {
            try self.moveToFile(reserving: expected, for: owner)
            self.room = nil
        }
        self.besideRoom = besideRoom
        self.owner = owner
    }

    /// - Throws: 503 when a body outgrew memory and the spool has no room.
    func append(_ piece: UnsafeRawBufferPointer) throws(GatewayError) {
        self.count += piece.count
        if let owner = self.owner { try self.coverContent(of: owner) } else { try self.coverUnproven() }
        if let file = self.file {
            do throws(StoreError) { try file.append(piece) } catch { throw GatewayError(spooling: error) }
        } else {
            self.bytes.append(contentsOf: piece)
        }
    }

    /// Counts what is kept in memory outside of this buffer.
    ///
    /// - Throws: 503 when there is no room for it.
    func keep(_ count: Int) throws(GatewayError) {
        self.beside += count
        guard self.isGiven else { return try self.coverUnproven() }
        guard self.besideRoom?.cover(self.beside, step: Self.besideGrowth) == true else { throw .spoolFull }
    }

    /// Says that all bytes have come: what was reserved for more goes back.
    func finish() {
        self.isComplete = true
        self.file?.finish()
        // Of memory, too: growing doubles it, and a declared length may have been that of texts.
        if self.bytes.capacity - self.bytes.count > Self.growth {
            self.bytes = self.bytes.withUnsafeBytes { [UInt8]($0) }
        }
        guard self.isGiven else { return }
        self.room?.shrink(to: self.count)
        self.besideRoom?.shrink(to: self.beside)
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

    /// Reserves what is not yet; what has no room in memory goes on in a file.
    private func coverContent(of owner: BodyOwner) throws(GatewayError) {
        guard self.file == nil else { return }
        let limit = self.storage.configuration.memoryBody
        guard self.room?.cover(self.count, step: Self.growth, atMost: limit) != true else { return }
        try self.moveToFile(reserving: self.count, for: owner)
        self.room = nil
    }

    /// Counts every byte that has come, and none before: to announce many costs nothing.
    private func coverUnproven() throws(GatewayError) {
        guard self.room?.cover(self.count + self.beside) == true else { throw .unprovenFull }
        guard self.file == nil, self.count > self.storage.configuration.memoryBody else { return }
        try self.moveToFile(reserving: self.count, for: .nobody)
    }

    private func moveToFile(reserving count: Int, for owner: BodyOwner) throws(GatewayError) {
        let file = try self.storage.makeFile(reserving: count, for: owner)
        do throws(StoreError) {
            try self.bytes.withUnsafeBufferPointer { (bytes) throws(StoreError) in
                try file.append(UnsafeRawBufferPointer(bytes))
            }
        } catch {
            throw GatewayError(spooling: error)
        }
        self.file = file
        self.bytes = []
    }
}
