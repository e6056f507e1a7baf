extension JSONScanner {
    /// The characters of a string with escapes undone, or nil when the value is no string or holds half a surrogate
    /// pair, which no text can.
    public func string(of value: JSONValueRange) -> String? {
        guard value.kind == .string else { return nil }
        return self.withBytes(of: value) { quoted in
            let characters = UnsafeRawBufferPointer(rebasing: quoted[1..<quoted.count - 1])
            guard characters.contains(UInt8(ascii: "\\")) else { return String(decoding: characters, as: UTF8.self) }
            guard let decoded = JSONText.decode(characters), !decoded.hasLoneSurrogate else { return nil }
            return String(decoding: decoded.bytes, as: UTF8.self)
        }
    }

    /// The value's text exactly as it stands: a number with all its digits, a string with its quotes.
    public func literal(of value: JSONValueRange) -> String {
        self.withBytes(of: value) { String(decoding: $0, as: UTF8.self) }
    }

    /// The value of a number that is written as an integer and fits, else nil: `88` but not `88.0` or `8.8e1`.
    public func int(of value: JSONValueRange) -> Int? {
        guard value.kind == .number else { return nil }
        return Int(self.literal(of: value))
    }

    /// The nearest value to a number, or nil when the value is no number or too large.
    public func double(of value: JSONValueRange) -> Double? {
        guard value.kind == .number, let number = Double(self.literal(of: value)), number.isFinite else { return nil }
        return number
    }

    /// The value of `true` or `false`, else nil.
    public func bool(of value: JSONValueRange) -> Bool? {
        switch value.kind {
        case .true: true
        case .false: false
        default: nil
        }
    }
}
