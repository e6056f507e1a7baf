internal import HTTPWire
internal import Store

/// The content of one body as it arrives.
///
/// `@unchecked Sendable`: filled on the connection's loop only, and read only after the last byte has come.
final class BodyBuffer: @unchecked Sendable {
    /// Where the bytes are.
    enum Place {
        case memory(MemoryReservation, reserved: Int)
        case file(SpoolFile)
    }

    /// A chunked body's reservation grows by this much at a time.
    private static let growth = 64 << 10

    private let storage: BodyStorage
    private let client: String
    private var place: Place
    private var bytes: [UInt8] = []
    /// The number of bytes so far.
    private(set) var count = 0

    init(storage: BodyStorage, client: String, place: Place) {
        self.storage = storage
        self.client = client
        self.place = place
        if case .memory(_, let reserved) = place { self.bytes.reserveCapacity(reserved) }
    }

    /// - Throws: 503 when a body outgrew memory and the spool has no room.
    func append(_ piece: UnsafeRawBufferPointer) throws(GatewayError) {
        self.count += piece.count
        switch self.place {
        case .file(let file):
            try Self.write(piece, to: file)
        case .memory(let reservation, let reserved):
            guard self.count > reserved else {
                self.bytes.append(contentsOf: piece)
                return
            }
            let growth = max(Self.growth, self.count - reserved)
            if reserved + growth <= self.storage.configuration.memoryBody, reservation.grow(by: growth) {
                self.place = .memory(reservation, reserved: reserved + growth)
                self.bytes.append(contentsOf: piece)
            } else {
                try self.moveToFile(before: piece)
            }
        }
    }

    /// Says that all bytes have come.
    func finish() {
        if case .file(let file) = self.place { file.finish() }
    }

    /// A stretch of the content, referred to and not copied.
    func segment(_ range: Range<Int>) -> HTTPBodySegment {
        switch self.place {
        case .memory: .bytes(self.bytes, range)
        case .file(let file): .file(file, range)
        }
    }

    /// Lends the beginning of a stretch: all of it that is in memory, at most 64 KiB of a file.
    func withOpening<Result>(of range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch self.place {
        case .memory:
            self.bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
        case .file(let file):
            withUnsafeTemporaryAllocation(byteCount: min(range.count, Self.growth), alignment: 1) { buffer in
                let count = file.read(into: buffer, at: range.lowerBound)
                return body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }

    private func moveToFile(before piece: UnsafeRawBufferPointer) throws(GatewayError) {
        let file = try self.storage.makeFile(reserving: self.count, client: self.client)
        do {
            try self.bytes.withUnsafeBytes { try file.append($0) }
        } catch {
            throw .spoolFull
        }
        try Self.write(piece, to: file)
        self.place = .file(file)
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
