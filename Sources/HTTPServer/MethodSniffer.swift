/// Tells whether a request that may never parse began with HEAD, whose answer has no content whatever its status.
struct MethodSniffer {
    private var word: UInt64 = 0
    private var count: UInt8 = 0

    /// Looks at the next bytes of a head.
    mutating func look(at bytes: UnsafeRawBufferPointer) {
        for byte in bytes {
            guard self.count < 5 else { return }
            // Empty lines may stand in front (RFC 9112, section 2.2).
            if self.count == 0, byte == 0x0D || byte == 0x0A { continue }
            self.word = self.word << 8 | UInt64(byte)
            self.count += 1
        }
    }

    /// Whether the head begins with `HEAD` and a space.
    var isHead: Bool { self.count == 5 && self.word == 0x48_45_41_44_20 }
}
