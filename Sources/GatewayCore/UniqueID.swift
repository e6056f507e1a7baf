internal import Cryptography
internal import Synchronization

/// Ids of 16 hexadecimal digits that never repeat within a process, nor, but for chance, between processes.
///
/// Request ids and nonces must be different, not secret: a counter seen through a bijection costs no system call, which
/// a random number would for every request.
enum UniqueID {
    private static let counter = Atomic<UInt64>(
        SecureRandom.bytes(count: 8).reduce(0) { $0 << 8 | UInt64($1) }
    )
    private static let digits = Array("0123456789abcdef".utf8)

    static func next() -> String {
        var value = Self.scattered(Self.counter.wrappingAdd(1, ordering: .relaxed).newValue)
        return String(unsafeUninitializedCapacity: 16) { buffer in
            for index in (0..<16).reversed() {
                buffer[index] = Self.digits[Int(value & 15)]
                value >>= 4
            }
            return 16
        }
    }

    /// A bijection: multiplications by odd numbers and shifted exclusive ors can all be undone.
    static func scattered(_ value: UInt64) -> UInt64 {
        var mixed = value &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 32)) &* 0xD6E8_FEB8_6659_FD93
        return mixed ^ (mixed >> 32)
    }
}
