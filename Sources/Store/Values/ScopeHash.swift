/// The 16-byte hash of a key's scope: client, user or none, and key.
public struct ScopeHash: Hashable, Sendable {
    /// The first eight bytes, big-endian.
    public let high: UInt64
    /// The last eight bytes, big-endian.
    public let low: UInt64

    /// Takes the two halves.
    public init(_ high: UInt64, _ low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Takes the first 16 bytes of a digest; nil when there are fewer.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count >= 16 else {
            return nil
        }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for (index, byte) in bytes.prefix(16).enumerated() {
            if index < 8 {
                high = high << 8 | UInt64(byte)
            } else {
                low = low << 8 | UInt64(byte)
            }
        }
        self.init(high, low)
    }

    /// The 16 bytes.
    public var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
            for index in 0..<8 {
                let shift = UInt64(56 - 8 * index)
                buffer[index] = UInt8(truncatingIfNeeded: self.high >> shift)
                buffer[index + 8] = UInt8(truncatingIfNeeded: self.low >> shift)
            }
            count = 16
        }
    }
}
