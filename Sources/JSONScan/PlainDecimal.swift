/// JSON numbers written out in plain decimal digits, by moving the point and never by calculating.
///
/// No binary number lies in between: `0.1` stays `0.1`, and an integer of a hundred digits keeps them all.
enum PlainDecimal {
    /// How many zeros an exponent may add.
    ///
    /// The numbers of the usual 64-bit format need 323 of them at most (5e-324). Each further one would only be a way
    /// to make a megabyte of text out of five characters.
    static let maximumZeros = 350

    /// A number without exponent, without needless zeros in front or behind, and without a point that nothing follows.
    ///
    /// Zero has no sign.
    ///
    /// - Parameter literal: A number of RFC 8259, section 6.
    /// - Returns: Nil when the exponent adds more than ``maximumZeros`` zeros.
    static func text(of literal: UnsafeRawBufferPointer) -> String? {
        let isNegative = literal.first == UInt8(ascii: "-")
        let unsigned = literal.dropFirst(isNegative ? 1 : 0)
        let mantissa = unsigned.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let whole = mantissa.prefix { $0 != UInt8(ascii: ".") }
        var digits = Array(whole)
        digits += mantissa.dropFirst(whole.count + 1)
        // Where the point stands, counted from the first digit; zeros in front count for nothing.
        let leadingZeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits.removeFirst(leadingZeros)
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        guard !digits.isEmpty else { return "0" }
        guard let exponent = Self.exponent(unsigned.dropFirst(mantissa.count + 1)) else { return nil }
        let point = whole.count - leadingZeros + exponent
        // Zeros that the literal spells out itself are no expansion.
        let maximum = Self.maximumZeros + literal.count
        guard point - digits.count <= maximum, -point <= maximum else { return nil }
        var text: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
        if point <= 0 {
            text += [UInt8(ascii: "0"), UInt8(ascii: ".")]
            text += repeatElement(UInt8(ascii: "0"), count: -point)
            text += digits
        } else if point >= digits.count {
            text += digits
            text += repeatElement(UInt8(ascii: "0"), count: point - digits.count)
        } else {
            text += digits[..<point]
            text.append(UInt8(ascii: "."))
            text += digits[point...]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The value of an exponent's sign and digits; 0 without any, nil for one that is absurd.
    private static func exponent(_ characters: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard !characters.isEmpty else { return 0 }
        return Int(String(decoding: characters, as: UTF8.self)).flatMap { $0.magnitude < 1 << 32 ? $0 : nil }
    }
}
