/// Base 64 text (RFC 4648, sections 4 and 5).
public enum Base64 {
    /// Which digits, and whether `=` fills the last group of four.
    public enum Variant: Sendable {
        /// `+` and `/`, with padding (section 4).
        case standard
        /// `-` and `_`, without padding (section 5).
        case urlSafe
    }

    /// Bytes as text.
    public static func encode(_ bytes: [UInt8], as variant: Variant = .standard) -> String {
        bytes.withUnsafeBytes { self.encode($0, as: variant) }
    }

    /// Bytes as text.
    public static func encode(_ bytes: UnsafeRawBufferPointer, as variant: Variant = .standard) -> String {
        String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { output in
            var position = 0
            var index = 0
            func put(_ value: UInt32) {
                output[position] = self.digit(UInt8(value & 0x3F), variant)
                position += 1
            }
            while index + 3 <= bytes.count {
                let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
                put(group >> 18)
                put(group >> 12)
                put(group >> 6)
                put(group)
                index += 3
            }
            let rest = bytes.count - index
            guard rest > 0 else { return position }
            let group = UInt32(bytes[index]) << 16 | (rest == 2 ? UInt32(bytes[index + 1]) << 8 : 0)
            put(group >> 18)
            put(group >> 12)
            if rest == 2 { put(group >> 6) }
            if variant == .standard {
                while !position.isMultiple(of: 4) {
                    output[position] = UInt8(ascii: "=")
                    position += 1
                }
            }
            return position
        }
    }

    /// A digest as text.
    public static func encode(_ digest: Digest256, as variant: Variant = .standard) -> String {
        digest.withBytes { self.encode($0, as: variant) }
    }

    /// The bytes that a text spells, or nil when it is not exactly what ``encode(_:as:)`` would write.
    ///
    /// Refused are foreign digits, white space, wrong or missing padding (for the URL variant: any padding) and digits
    /// whose unused bits are not zero: every byte string has one text (RFC 4648, section 3.5).
    public static func decode(_ text: String, as variant: Variant = .standard) -> [UInt8]? {
        var digits = Array(text.utf8)
        if variant == .standard {
            guard digits.count.isMultiple(of: 4) else { return nil }
            for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
        }
        guard digits.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count * 3 / 4)
        var collected: UInt32 = 0
        var bitCount = 0
        for digit in digits {
            guard let value = self.value(digit, variant) else { return nil }
            collected = (collected << 6 | UInt32(value)) & 0xFFFF
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: collected >> UInt32(bitCount)))
            }
        }
        let unused = collected & (1 << UInt32(bitCount) - 1)
        return unused == 0 ? bytes : nil
    }

    private static func digit(_ value: UInt8, _ variant: Variant) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") - 26 + value
        case 52..<62: value - 52 + UInt8(ascii: "0")
        case 62: variant == .standard ? UInt8(ascii: "+") : UInt8(ascii: "-")
        default: variant == .standard ? UInt8(ascii: "/") : UInt8(ascii: "_")
        }
    }

    private static func value(_ digit: UInt8, _ variant: Variant) -> UInt8? {
        switch (digit, variant) {
        case (UInt8(ascii: "A")...UInt8(ascii: "Z"), _): digit - UInt8(ascii: "A")
        case (UInt8(ascii: "a")...UInt8(ascii: "z"), _): digit - UInt8(ascii: "a") + 26
        case (UInt8(ascii: "0")...UInt8(ascii: "9"), _): digit - UInt8(ascii: "0") + 52
        case (UInt8(ascii: "+"), .standard), (UInt8(ascii: "-"), .urlSafe): 62
        case (UInt8(ascii: "/"), .standard), (UInt8(ascii: "_"), .urlSafe): 63
        default: nil
        }
    }
}
