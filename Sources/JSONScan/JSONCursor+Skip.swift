extension JSONCursor {
    /// Passes one value without looking into it.
    ///
    /// - Returns: The value, or nil when none begins here.
    mutating func skipValue() -> JSONValueRange? {
        let start = self.position
        guard let byte = self.next else { return nil }
        let kind: JSONValueRange.Kind
        switch byte {
        case UInt8(ascii: "\""):
            guard self.skipString() else { return nil }
            kind = .string
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard self.skipContainer() else { return nil }
            kind = byte == UInt8(ascii: "{") ? .object : .array
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            self.skipScalar()
            kind = .number
        case UInt8(ascii: "t"):
            self.skipScalar()
            kind = .true
        case UInt8(ascii: "f"):
            self.skipScalar()
            kind = .false
        case UInt8(ascii: "n"):
            self.skipScalar()
            kind = .null
        default:
            return nil
        }
        return JSONValueRange(kind, start..<self.position)
    }

    /// Passes a name and the colon behind it, up to its value.
    ///
    /// - Returns: The range of the name with its quotes, or nil when none begins here.
    mutating func skipMemberName() -> Range<Int>? {
        let start = self.position
        guard self.next == UInt8(ascii: "\""), self.skipString() else { return nil }
        let name = start..<self.position
        self.skipWhitespace()
        guard self.next == UInt8(ascii: ":") else { return nil }
        self.position += 1
        self.skipWhitespace()
        return name
    }

    /// Passes what stands between two members or elements.
    ///
    /// - Returns: Whether another one follows.
    mutating func skipSeparator() -> Bool {
        self.skipWhitespace()
        guard self.next == UInt8(ascii: ",") else { return false }
        self.position += 1
        self.skipWhitespace()
        return true
    }

    /// Passes a string, from its opening to behind its closing quote; false when it has no end.
    private mutating func skipString() -> Bool {
        self.position += 1
        while true {
            while self.position + 8 <= self.end {
                let word = self.word
                let special =
                    JSONWord.bytes(equalTo: UInt8(ascii: "\""), in: word)
                    | JSONWord.bytes(equalTo: UInt8(ascii: "\\"), in: word)
                guard special == 0 else {
                    self.position += JSONWord.firstIndex(special)
                    break
                }
                self.position += 8
            }
            guard let byte = self.next else { return false }
            self.position += 1
            if byte == UInt8(ascii: "\"") { return true }
            if byte == UInt8(ascii: "\\"), self.position < self.end { self.position += 1 }
        }
    }

    /// Passes an object or array with all that is in it; false when it has no end.
    private mutating func skipContainer() -> Bool {
        var depth = 0
        while true {
            while self.position + 8 <= self.end {
                let word = self.word
                // Setting bit 5 makes a bracket of either form a brace, and no other byte one.
                let folded = word | JSONWord.lowBits &* 0x20
                let special =
                    JSONWord.bytes(equalTo: UInt8(ascii: "\""), in: word)
                    | JSONWord.bytes(equalTo: UInt8(ascii: "{"), in: folded)
                    | JSONWord.bytes(equalTo: UInt8(ascii: "}"), in: folded)
                guard special == 0 else {
                    self.position += JSONWord.firstIndex(special)
                    break
                }
                self.position += 8
            }
            guard let byte = self.next else { return false }
            switch byte {
            case UInt8(ascii: "\""):
                guard self.skipString() else { return false }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
            default:
                break
            }
            self.position += 1
            if depth == 0 { return true }
        }
    }

    /// Passes a number or word.
    private mutating func skipScalar() {
        while let byte = self.next {
            switch byte {
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), ...0x20: return
            default: self.position += 1
            }
        }
    }
}
