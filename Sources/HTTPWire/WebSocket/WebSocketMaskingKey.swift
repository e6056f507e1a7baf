/// A masking key and how far it has been used (RFC 6455, section 5.3).
struct WebSocketMaskingKey: Sendable {
    /// The lowest byte is the next to be used.
    private var word: UInt32

    /// - Parameter word: The first byte of the key is its lowest.
    init(word: UInt32 = 0) {
        self.word = word
    }

    /// Takes the next of the four bytes of the key as they stand in a frame.
    mutating func take(_ byte: UInt8) {
        self.word = self.word >> 8 | UInt32(byte) << 24
    }

    /// The four bytes as they stand in a frame, if none has been used.
    var bytes: (UInt8, UInt8, UInt8, UInt8) {
        let word = self.word
        return (
            UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8),
            UInt8(truncatingIfNeeded: word >> 16), UInt8(truncatingIfNeeded: word >> 24)
        )
    }

    /// Masks the next bytes of a frame, or unmasks them, which is the same.
    mutating func apply(to bytes: UnsafeMutableRawBufferPointer) {
        let wide = UInt64(self.word) << 32 | UInt64(self.word)
        var index = 0
        while index + 8 <= bytes.count {
            let value = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ wide
            bytes.storeBytes(of: value.littleEndian, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < bytes.count {
            bytes[index] ^= UInt8(truncatingIfNeeded: self.word)
            self.word = self.word >> 8 | self.word << 24
            index += 1
        }
    }
}
