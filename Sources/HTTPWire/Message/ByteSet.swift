/// A set of ASCII bytes, as one bit each: membership costs a shift and no memory access.
struct ByteSet: Sendable {
    /// The bits of the bytes 0 to 63.
    let low: UInt64
    /// The bits of the bytes 64 to 127.
    let high: UInt64

    /// Whether the byte belongs to the set; bytes above 127 never do.
    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        let word = byte < 64 ? self.low : self.high
        return byte < 128 && (word &>> UInt64(byte & 63)) & 1 == 1
    }
}

extension ByteSet {
    /// tchar (RFC 9110, section 5.6.2).
    @inline(__always)
    static var token: ByteSet { ByteSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE) }

    /// pchar and "/", without "%" (RFC 3986, section 3.3).
    @inline(__always)
    static var path: ByteSet { ByteSet(low: 0x2FFF_FFD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFF) }

    /// The bytes of a registered name, without "%" (RFC 3986, section 3.2.2), and without the comma: no host has one,
    /// and a list of two hosts that an intermediary joined must not pass for one.
    @inline(__always)
    static var registeredName: ByteSet { ByteSet(low: 0x2BFF_6FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE) }

    /// VCHAR: visible ASCII characters.
    @inline(__always)
    static var visible: ByteSet { ByteSet(low: 0xFFFF_FFFE_0000_0000, high: 0x7FFF_FFFF_FFFF_FFFF) }

    /// bchars (RFC 2046, section 5.1.1).
    @inline(__always)
    static var boundary: ByteSet { ByteSet(low: 0xA7FF_FB81_0000_0000, high: 0x07FF_FFFE_87FF_FFFE) }
}

/// The bytes that grammar hangs on.
enum ASCII {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let percent: UInt8 = 0x25
    static let comma: UInt8 = 0x2C
    static let hyphen: UInt8 = 0x2D
    static let slash: UInt8 = 0x2F
    static let colon: UInt8 = 0x3A
    static let semicolon: UInt8 = 0x3B
    static let equals: UInt8 = 0x3D
    static let questionMark: UInt8 = 0x3F
    static let backslash: UInt8 = 0x5C

    /// The value of a hexadecimal digit, or nil.
    @inline(__always)
    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    /// Whether the byte is a decimal digit.
    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool {
        byte >= 0x30 && byte <= 0x39
    }

    /// Whether the byte is a space or a tab (RFC 9110, section 5.6.3).
    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool {
        byte == self.space || byte == self.tab
    }

    /// Appends a text.
    static func append(_ text: StaticString, to buffer: inout [UInt8]) {
        buffer.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends the decimal digits of a number that is not negative.
    static func append(decimal number: Int, to buffer: inout [UInt8]) {
        var divisor = 1
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            buffer.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
