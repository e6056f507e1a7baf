internal import HTTPWire

/// Keeps a small body as it arrives.
///
/// `@unchecked Sendable`: filled on the connection's loop only, and read only after the last byte has come.
final class JSONReception: HTTPBodyConsumer, @unchecked Sendable {
    /// Room for a body of which the end is not known grows by this much at a time.
    private static let growth = 4 << 10

    private(set) var bytes: [UInt8] = []
    private(set) var room: BodyRoom
    /// How long all of it may take while nobody knows who sends it; nil where that is known.
    let timeLimit: Duration?

    /// - Parameters:
    ///   - room: Grows with what comes; it has the declared length of a body whose sender is known.
    ///   - unproven: How long a body may take whose sender is not known.
    init(_ room: BodyRoom, unproven timeLimit: Duration? = nil) {
        self.room = room
        self.timeLimit = timeLimit
        self.bytes.reserveCapacity(room.bytes)
    }

    func consume(_ bytes: UnsafeRawBufferPointer) throws {
        let isUnproven = self.timeLimit != nil
        guard self.room.cover(self.bytes.count + bytes.count, step: isUnproven ? 0 : Self.growth) else {
            throw isUnproven ? GatewayError.unprovenFull : .spoolFull
        }
        self.bytes.append(contentsOf: bytes)
    }

    /// Says that all bytes have come.
    func finish() {
        self.room.shrink(to: self.bytes.count)
    }
}
