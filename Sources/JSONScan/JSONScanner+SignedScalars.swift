extension JSONScanner {
    /// The top-level scalars of an object as they are signed (contract yugu, section 3.4): strings as they are, `true`
    /// and `false`; no nulls, arrays and objects.
    ///
    /// - Parameter number: The text of a number; nil leaves it out.
    public func signedScalars(
        number: (JSONValueRange) -> String?
    ) -> [(name: String, value: String)] {
        guard let root = self.root else { return [] }
        var scalars: [(name: String, value: String)] = []
        for member in self.members(of: root) {
            let text: String? =
                switch member.value.kind {
                case .string: self.string(of: member.value)
                case .number: number(member.value)
                case .true: "true"
                case .false: "false"
                case .null, .array, .object: nil
                }
            if let text { scalars.append((member.key, text)) }
        }
        return scalars
    }

    /// A number in plain decimal notation: no exponent, no zeros around what counts, integers without a fraction.
    ///
    /// `1.0` is `1`, `1e-7` is `0.0000001`. Nil when the value is no number, or has more than 512 digits so.
    public func plainDecimal(of value: JSONValueRange) -> String? {
        guard value.kind == .number else { return nil }
        let literal = self.literal(of: value)
        let isNegative = literal.hasPrefix("-")
        let halves = literal.drop { $0 == "-" }.split(whereSeparator: { $0 == "e" || $0 == "E" })
        let mantissa = halves[0].split(separator: ".", omittingEmptySubsequences: false)
        var exponent = 0
        if halves.count == 2 {
            guard let number = Int(halves[1]), abs(number) <= 512 else { return nil }
            exponent = number
        }
        let fraction = mantissa.count == 2 ? mantissa[1] : ""
        var digits = Array((mantissa[0] + fraction).utf8)
        // Where the point stands among the digits.
        var point = mantissa[0].utf8.count + exponent
        guard digits.count + abs(point) <= 1024 else { return nil }
        if point < 1 {
            digits.insert(contentsOf: repeatElement(UInt8(ascii: "0"), count: 1 - point), at: 0)
            point = 1
        } else if point > digits.count {
            digits += repeatElement(UInt8(ascii: "0"), count: point - digits.count)
        }
        let zero = UInt8(ascii: "0")
        var decimals = digits[point...]
        while decimals.last == zero { decimals.removeLast() }
        let integer = digits[..<point].drop { $0 == zero }
        let isZero = integer.isEmpty && decimals.isEmpty
        var text = isNegative && !isZero ? "-" : ""
        text += integer.isEmpty ? "0" : String(decoding: integer, as: UTF8.self)
        if !decimals.isEmpty { text += "." + String(decoding: decimals, as: UTF8.self) }
        return text
    }
}
