extension JSONCursor {
    /// Passes one value with everything in it and checks all of its bytes.
    ///
    /// - Parameters:
    ///   - maximumDepth: How many objects and arrays may lie inside each other.
    ///   - memberName: Called with the range of each name of the outermost object, quotes included.
    mutating func validateValue(
        maximumDepth: Int,
        memberName: (Range<Int>) -> Void
    ) throws(JSONScanError) -> JSONValueRange {
        let start = self.position
        // What is open, outermost first. Not recursion: the depth is the caller's choice, the thread's stack is not.
        return try withUnsafeTemporaryAllocation(of: Bool.self, capacity: max(maximumDepth, 1)) {
            (isObject: UnsafeMutableBufferPointer<Bool>) throws(JSONScanError) -> JSONValueRange in
            var kind: JSONValueRange.Kind?
            var depth = 0
            nextValue: while true {
                guard let byte = self.next else { throw JSONScanError(.unexpectedEnd, at: self.position) }
                var scalar = JSONValueRange.Kind.null
                switch byte {
                case UInt8(ascii: "\""):
                    try self.validateString()
                    scalar = .string
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    guard depth < maximumDepth else { throw JSONScanError(.tooDeep, at: self.position) }
                    let opensObject = byte == UInt8(ascii: "{")
                    if kind == nil { kind = opensObject ? .object : .array }
                    isObject[depth] = opensObject
                    depth += 1
                    self.position += 1
                    self.skipWhitespace()
                    guard self.next != (opensObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                        // Left where it is: the loop over what follows a value closes it.
                        break
                    }
                    if opensObject {
                        let name = try self.validateMemberName()
                        if depth == 1 { memberName(name) }
                    }
                    continue nextValue
                case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    try self.validateNumber()
                    scalar = .number
                case UInt8(ascii: "t"):
                    try self.validateLiteral("true")
                    scalar = .true
                case UInt8(ascii: "f"):
                    try self.validateLiteral("false")
                    scalar = .false
                case UInt8(ascii: "n"):
                    try self.validateLiteral("null")
                default:
                    throw JSONScanError(.unexpectedByte, at: self.position)
                }
                if kind == nil { kind = scalar }

                // Behind a value, or in an empty object or array.
                while depth > 0 {
                    self.skipWhitespace()
                    guard let byte = self.next else { throw JSONScanError(.unexpectedEnd, at: self.position) }
                    let isInObject = isObject[depth - 1]
                    if byte == UInt8(ascii: ",") {
                        self.position += 1
                        self.skipWhitespace()
                        if isInObject {
                            let name = try self.validateMemberName()
                            if depth == 1 { memberName(name) }
                        }
                        continue nextValue
                    }
                    guard byte == (isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                        throw JSONScanError(.unexpectedByte, at: self.position)
                    }
                    self.position += 1
                    depth -= 1
                }
                return JSONValueRange(kind ?? scalar, start..<self.position)
            }
        }
    }

    /// Passes a name, its colon and the white space around that; returns where the name is.
    private mutating func validateMemberName() throws(JSONScanError) -> Range<Int> {
        let start = self.position
        try self.expect(UInt8(ascii: "\""))
        self.position = start
        try self.validateString()
        let name = start..<self.position
        self.skipWhitespace()
        try self.expect(UInt8(ascii: ":"))
        self.skipWhitespace()
        return name
    }

    @inline(__always)
    private mutating func expect(_ expected: UInt8) throws(JSONScanError) {
        guard let byte = self.next else { throw JSONScanError(.unexpectedEnd, at: self.position) }
        guard byte == expected else { throw JSONScanError(.unexpectedByte, at: self.position) }
        self.position += 1
    }

    private mutating func validateLiteral(_ word: StaticString) throws(JSONScanError) {
        let start = self.position
        for index in 0..<word.utf8CodeUnitCount {
            guard let byte = self.next else { throw JSONScanError(.unexpectedEnd, at: self.position) }
            guard byte == word.utf8Start[index] else { throw JSONScanError(.invalidLiteral, at: start) }
            self.position += 1
        }
    }

    /// Passes a number (RFC 8259, section 6).
    @inline(__always)
    private mutating func validateNumber() throws(JSONScanError) {
        let start = self.position
        if self[start] == UInt8(ascii: "-") { self.position += 1 }
        if self.next == UInt8(ascii: "0") {
            self.position += 1
            // A digit behind a leading zero.
            if let byte = self.next, byte &- UInt8(ascii: "0") < 10 { throw JSONScanError(.invalidNumber, at: start) }
        } else {
            try self.validateDigits(of: start)
        }
        if self.next == UInt8(ascii: ".") {
            self.position += 1
            try self.validateDigits(of: start)
        }
        if let byte = self.next, byte | 0x20 == UInt8(ascii: "e") {
            self.position += 1
            if let sign = self.next, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { self.position += 1 }
            try self.validateDigits(of: start)
        }
    }

    @inline(__always)
    private mutating func validateDigits(of number: Int) throws(JSONScanError) {
        let start = self.position
        while let byte = self.next, byte &- UInt8(ascii: "0") < 10 { self.position += 1 }
        guard self.position > start else {
            guard self.position < self.end else { throw JSONScanError(.unexpectedEnd, at: self.position) }
            throw JSONScanError(.invalidNumber, at: number)
        }
    }

    /// Passes a string, from its opening to behind its closing quote (RFC 8259, section 7).
    private mutating func validateString() throws(JSONScanError) {
        self.position += 1
        while true {
            while self.position + 8 <= self.end {
                let word = self.word
                let special =
                    JSONWord.bytes(equalTo: UInt8(ascii: "\""), in: word)
                    | JSONWord.bytes(equalTo: UInt8(ascii: "\\"), in: word)
                    | JSONWord.controls(in: word) | word & JSONWord.highBits
                guard special == 0 else {
                    self.position += JSONWord.firstIndex(special)
                    break
                }
                self.position += 8
            }
            guard let byte = self.next else { throw JSONScanError(.unexpectedEnd, at: self.position) }
            switch byte {
            case UInt8(ascii: "\""):
                self.position += 1
                return
            case UInt8(ascii: "\\"):
                try self.validateEscape()
            case 0x80...:
                try self.validateUTF8()
            case ..<0x20:
                throw JSONScanError(.controlCharacter, at: self.position)
            default:
                self.position += 1
            }
        }
    }

    private mutating func validateEscape() throws(JSONScanError) {
        let start = self.position
        self.position += 1
        guard let byte = self.next else { throw JSONScanError(.unexpectedEnd, at: self.position) }
        self.position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return
        case UInt8(ascii: "u"):
            for _ in 0..<4 {
                guard let digit = self.next else { throw JSONScanError(.unexpectedEnd, at: self.position) }
                guard JSONText.hexadecimalValue(digit) != nil else { throw JSONScanError(.invalidEscape, at: start) }
                self.position += 1
            }
        default:
            throw JSONScanError(.invalidEscape, at: start)
        }
    }

    /// Passes a run of characters beyond ASCII (RFC 3629, section 4: no overlong forms, no surrogates).
    private mutating func validateUTF8() throws(JSONScanError) {
        while let first = self.next, first >= 0x80 {
            let count: Int
            var second: ClosedRange<UInt8> = 0x80...0xBF
            switch first {
            case 0xC2...0xDF: count = 2
            case 0xE0: (count, second) = (3, 0xA0...0xBF)
            case 0xED: (count, second) = (3, 0x80...0x9F)
            case 0xE1...0xEF: count = 3
            case 0xF0: (count, second) = (4, 0x90...0xBF)
            case 0xF1...0xF3: count = 4
            case 0xF4: (count, second) = (4, 0x80...0x8F)
            default: throw JSONScanError(.invalidUTF8, at: self.position)
            }
            for index in self.position + 1..<self.position + count {
                guard index < self.end else { throw JSONScanError(.unexpectedEnd, at: index) }
                let isRight = index == self.position + 1 ? second.contains(self[index]) : self[index] & 0xC0 == 0x80
                guard isRight else { throw JSONScanError(.invalidUTF8, at: self.position) }
            }
            self.position += count
        }
    }
}
