internal import HTTPWire
internal import Store

/// Keeps a small body as it arrives.
///
/// `@unchecked Sendable`: filled on the connection's loop only, and read only after the last byte has come.
final class JSONReception: HTTPBodyConsumer, @unchecked Sendable {
    private(set) var bytes: [UInt8] = []
    let reservation: MemoryReservation
    private let isUnproven: Bool

    /// - Parameter reserved: Covers all that may come.
    init(reserved: MemoryReservation, capacity: Int) {
        self.reservation = reserved
        self.isUnproven = false
        self.bytes.reserveCapacity(capacity)
    }

    /// - Parameter unproven: Grows with each byte.
    init(unproven: MemoryReservation) {
        self.reservation = unproven
        self.isUnproven = true
    }

    func consume(_ bytes: UnsafeRawBufferPointer) throws {
        if self.isUnproven, !self.reservation.grow(by: bytes.count) { throw GatewayError.unprovenFull }
        self.bytes.append(contentsOf: bytes)
    }
}
