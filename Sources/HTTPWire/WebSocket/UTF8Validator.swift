/// Checks that bytes are UTF-8 as they come, and finds the first byte that cannot be right (RFC 3629, section 4).
struct UTF8Validator: Sendable {
    /// Continuation bytes that the current character still needs.
    private var due: UInt8 = 0
    // What the next continuation byte may be: behind some first bytes less than all, so that there is no overlong form,
    // no surrogate and nothing beyond U+10FFFF.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// Whether no character is cut off.
    var isComplete: Bool { self.due == 0 }

    /// Takes bytes as far as they are valid; how many.
    ///
    /// After fewer than all it is of no more use.
    mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Int {
        var index = 0
        while index < bytes.count {
            guard self.due == 0 else {
                guard bytes[index] >= self.lowest, bytes[index] <= self.highest else { return index }
                self.lowest = 0x80
                self.highest = 0xBF
                self.due -= 1
                index += 1
                continue
            }
            // Most text is ASCII, eight bytes at a look.
            while index + 8 <= bytes.count,
                bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
            {
                index += 8
            }
            guard index < bytes.count else { return index }
            guard self.begin(bytes[index]) else { return index }
            index += 1
        }
        return index
    }

    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: self.due = 1
        case 0xE0: (self.due, self.lowest) = (2, 0xA0)
        case 0xED: (self.due, self.highest) = (2, 0x9F)
        case 0xE1...0xEF: self.due = 2
        case 0xF0: (self.due, self.lowest) = (3, 0x90)
        case 0xF4: (self.due, self.highest) = (3, 0x8F)
        case 0xF1...0xF3: self.due = 3
        default: return false
        }
        return true
    }
}
