/// Which running call owns a claim: a flight of a process that is gone owns nothing any more.
public struct FlightID: Hashable, Sendable {
    /// The identity of one start of the process.
    public let process: UInt64
    /// The number of the flight within that process.
    public let serial: UInt64

    /// Takes the parts.
    public init(process: UInt64, serial: UInt64) {
        self.process = process
        self.serial = serial
    }
}

extension FlightID: Comparable {
    /// Whether a flight began before another of the same process.
    public static func < (first: FlightID, second: FlightID) -> Bool {
        (first.process, first.serial) < (second.process, second.serial)
    }
}
