/// A reading position in JSON bytes.
///
/// Valid only while the bytes are lent. The validating methods follow RFC 8259 to the letter; the `skip` methods find
/// the ends of values in a text that is taken to be valid. On any other text they may misjudge an end, but stay inside
/// the bytes.
struct JSONCursor {
    private let base: UnsafeRawPointer
    /// The index behind the last byte that may be read.
    let end: Int
    var position: Int

    init(base: UnsafeRawPointer, end: Int, position: Int) {
        self.base = base
        self.end = end
        self.position = position
    }

    /// The byte at an index, which the caller has compared with `end`.
    @inline(__always)
    subscript(index: Int) -> UInt8 {
        assert(index >= 0 && index < self.end)
        return self.base.load(fromByteOffset: index, as: UInt8.self)
    }

    /// The byte at the position, or nil at the end.
    @inline(__always)
    var next: UInt8? { self.position < self.end ? self[self.position] : nil }

    /// Eight bytes from the position on, the first in the lowest bits; the caller has compared with `end`.
    @inline(__always)
    var word: UInt64 {
        assert(self.position + 8 <= self.end)
        return UInt64(littleEndian: self.base.loadUnaligned(fromByteOffset: self.position, as: UInt64.self))
    }

    /// The bytes of a range.
    func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        precondition(range.upperBound <= self.end, "a range of these bytes")
        return UnsafeRawBufferPointer(start: self.base + range.lowerBound, count: range.count)
    }

    /// Passes space, tab, line feed and carriage return.
    @inline(__always)
    mutating func skipWhitespace() {
        guard let byte = self.next, byte <= 0x20 else { return }
        self.skipWhitespaceRun()
    }

    private mutating func skipWhitespaceRun() {
        while true {
            // Indentation is long runs of spaces.
            while self.position + 8 <= self.end, self.word == 0x2020_2020_2020_2020 { self.position += 8 }
            guard let byte = self.next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            self.position += 1
        }
    }
}

/// Tests on eight bytes at once.
///
/// Each result has the top bit set in the bytes that pass; above the lowest of these, bits may be set wrongly (borrows
/// run upwards), so only the lowest counts.
enum JSONWord {
    static let lowBits: UInt64 = 0x0101_0101_0101_0101
    static let highBits: UInt64 = 0x8080_8080_8080_8080

    @inline(__always)
    static func bytes(equalTo byte: UInt8, in word: UInt64) -> UInt64 {
        let difference = word ^ (self.lowBits &* UInt64(byte))
        return (difference &- self.lowBits) & ~difference & self.highBits
    }

    /// Bytes below 0x20.
    @inline(__always)
    static func controls(in word: UInt64) -> UInt64 {
        (word &- self.lowBits &* 0x20) & ~word & self.highBits
    }

    /// The index of the lowest byte that passed.
    @inline(__always)
    static func firstIndex(_ result: UInt64) -> Int {
        result.trailingZeroBitCount >> 3
    }
}
