/// What the characters of a JSON string stand for.
enum JSONText {
    /// The UTF-8 of a string's characters, escapes undone.
    struct Decoded {
        var bytes: [UInt8]
        /// Whether half of a surrogate pair stood alone; it is in `bytes` as three bytes that are not UTF-8, so that
        /// different strings stay different.
        var hasLoneSurrogate = false
    }

    /// Undoes the escapes of a string.
    ///
    /// - Parameter characters: The bytes between the quotes.
    /// - Returns: Nil when an escape is none.
    static func decode(_ characters: UnsafeRawBufferPointer) -> Decoded? {
        var result = Decoded(bytes: [])
        result.bytes.reserveCapacity(characters.count)
        var index = 0
        while index < characters.count {
            let byte = characters[index]
            index += 1
            guard byte == UInt8(ascii: "\\") else {
                result.bytes.append(byte)
                continue
            }
            guard index < characters.count else { return nil }
            let escaped = characters[index]
            index += 1
            switch escaped {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.bytes.append(escaped)
            case UInt8(ascii: "b"): result.bytes.append(0x08)
            case UInt8(ascii: "f"): result.bytes.append(0x0C)
            case UInt8(ascii: "n"): result.bytes.append(0x0A)
            case UInt8(ascii: "r"): result.bytes.append(0x0D)
            case UInt8(ascii: "t"): result.bytes.append(0x09)
            case UInt8(ascii: "u"):
                guard var scalar = self.codeUnit(characters, at: index) else { return nil }
                index += 4
                if (0xD800...0xDBFF).contains(scalar), let low = self.escapedLowSurrogate(characters, at: index) {
                    index += 6
                    scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
                } else if (0xD800...0xDFFF).contains(scalar) {
                    result.hasLoneSurrogate = true
                }
                self.append(scalar, to: &result.bytes)
            default:
                return nil
            }
        }
        return result
    }

    /// The value of a hexadecimal digit of either case.
    static func hexadecimalValue(_ digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(digit - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(digit - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    private static func codeUnit(_ characters: UnsafeRawBufferPointer, at index: Int) -> UInt32? {
        guard index + 4 <= characters.count else { return nil }
        var unit: UInt32 = 0
        for digit in characters[index..<index + 4] {
            guard let value = self.hexadecimalValue(digit) else { return nil }
            unit = unit << 4 | value
        }
        return unit
    }

    private static func escapedLowSurrogate(_ characters: UnsafeRawBufferPointer, at index: Int) -> UInt32? {
        guard index + 6 <= characters.count, characters[index] == UInt8(ascii: "\\"),
            characters[index + 1] == UInt8(ascii: "u"), let unit = self.codeUnit(characters, at: index + 2),
            (0xDC00...0xDFFF).contains(unit)
        else { return nil }
        return unit
    }

    private static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
        func continuation(_ shift: UInt32) -> UInt8 { 0x80 | UInt8(truncatingIfNeeded: scalar >> shift & 0x3F) }
        switch scalar {
        case ..<0x80:
            bytes.append(UInt8(scalar))
        case ..<0x800:
            bytes.append(0xC0 | UInt8(scalar >> 6))
            bytes.append(continuation(0))
        case ..<0x10000:
            bytes.append(0xE0 | UInt8(scalar >> 12))
            bytes.append(continuation(6))
            bytes.append(continuation(0))
        default:
            bytes.append(0xF0 | UInt8(scalar >> 18))
            bytes.append(continuation(12))
            bytes.append(continuation(6))
            bytes.append(continuation(0))
        }
    }
}
