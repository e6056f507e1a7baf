/// Names, strings and numbers.
extension JSON5Reader {
    // MARK: - Names

    /// Whether an unquoted key may begin with this character (ECMAScript 5.1, section 7.6).
    static func beginsName(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == "$" || scalar == "_" { return true }
        if scalar.isASCII { return scalar.properties.isAlphabetic }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber:
            return true
        default:
            return false
        }
    }

    private static func continuesName(_ scalar: Unicode.Scalar) -> Bool {
        if Self.beginsName(scalar) || scalar == "\u{200C}" || scalar == "\u{200D}" { return true }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .decimalNumber, .connectorPunctuation: return true
        default: return false
        }
    }

    mutating func readName() throws(JSON5SyntaxError) -> String {
        var name = String.UnicodeScalarView()
        while let scalar = self.current {
            let start = self.position
            var character = scalar
            if scalar == "\\" {
                self.advance()
                guard self.current == "u" else { throw self.failure("a key may only contain \\u escapes", at: start) }
                self.advance()
                character = try self.readUnicodeEscape(at: start)
                guard name.isEmpty ? Self.beginsName(character) : Self.continuesName(character) else {
                    throw self.failure("this character may not stand in a key without quotation marks", at: start)
                }
                name.append(character)
                continue
            }
            guard name.isEmpty ? Self.beginsName(character) : Self.continuesName(character) else { break }
            name.append(character)
            self.advance()
        }
        return String(name)
    }

    // MARK: - Strings

    mutating func readString() throws(JSON5SyntaxError) -> String {
        let start = self.position
        let quote = self.current
        self.advance()
        var text = String.UnicodeScalarView()
        while let scalar = self.current {
            switch scalar {
            case _ where scalar == quote:
                self.advance()
                return String(text)
            case "\\":
                try self.readEscape(into: &text)
            case "\n", "\r":
                throw self.failure("the text that begins here has no closing quotation mark on its line", at: start)
            default:
                text.append(scalar)
                self.advance()
            }
        }
        throw self.failure("the text that begins here has no closing quotation mark", at: start)
    }

    private mutating func readEscape(into text: inout String.UnicodeScalarView) throws(JSON5SyntaxError) {
        let start = self.position
        self.advance()
        guard let scalar = self.current else { throw self.failure("the escape has no end", at: start) }
        switch scalar {
        case "b": text.append("\u{08}")
        case "f": text.append("\u{0C}")
        case "n": text.append("\n")
        case "r": text.append("\r")
        case "t": text.append("\t")
        case "v": text.append("\u{0B}")
        case "0":
            if let following = self.next, Self.digit(following, radix: 10) != nil {
                throw self.failure("\\0 may not be followed by a digit", at: start)
            }
            text.append("\0")
        case "1"..."9":
            throw self.failure("\\\(scalar) is no escape", at: start)
        case "x":
            self.advance()
            text.append(try self.scalar(of: try self.readHexDigits(2, at: start), at: start))
            return
        case "u":
            self.advance()
            text.append(try self.readUnicodeEscape(at: start))
            return
        case "\r":
            self.advance()
            if self.current == "\n" { self.advance() }
            return
        case "\n", "\u{2028}", "\u{2029}":
            break
        default:
            text.append(scalar)
        }
        self.advance()
    }

    /// Reads what follows `\u`, a surrogate pair as one character.
    private mutating func readUnicodeEscape(at start: SourcePosition) throws(JSON5SyntaxError) -> Unicode.Scalar {
        let first = try self.readHexDigits(4, at: start)
        guard (0xD800..<0xDC00).contains(first) else { return try self.scalar(of: first, at: start) }
        guard self.current == "\\", self.next == "u" else {
            throw self.failure("half of a surrogate pair", at: start)
        }
        self.advance()
        self.advance()
        let second = try self.readHexDigits(4, at: start)
        guard (0xDC00..<0xE000).contains(second) else { throw self.failure("half of a surrogate pair", at: start) }
        return try self.scalar(of: 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00), at: start)
    }

    private func scalar(of value: UInt32, at start: SourcePosition) throws(JSON5SyntaxError) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(value) else { throw self.failure("half of a surrogate pair", at: start) }
        return scalar
    }

    private mutating func readHexDigits(_ count: Int, at start: SourcePosition) throws(JSON5SyntaxError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let scalar = self.current, let digit = Self.digit(scalar, radix: 16) else {
                throw self.failure("the escape needs \(count) hexadecimal digits", at: start)
            }
            value = value << 4 | UInt32(digit)
            self.advance()
        }
        return value
    }

    static func digit(_ scalar: Unicode.Scalar, radix: Int) -> Int? {
        guard scalar.isASCII else { return nil }
        return Character(scalar).hexDigitValue.flatMap { $0 < radix ? $0 : nil }
    }

    // MARK: - Numbers

    static func beginsNumber(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", "+", "-", ".": true
        default: false
        }
    }

    mutating func readNumber() throws(JSON5SyntaxError) -> JSON5Number {
        let start = self.position
        var sign = ""
        if self.current == "+" || self.current == "-" {
            sign = self.current == "-" ? "-" : ""
            self.advance()
        }
        let number: JSON5Number
        switch self.current {
        case "0" where self.next == "x" || self.next == "X":
            number = try self.readHexadecimal(sign: sign, at: start)
        case .some(let scalar) where Self.beginsName(scalar):
            let word = try self.readName()
            guard word == "Infinity" || word == "NaN" else { throw self.failure("this is no number", at: start) }
            number = .notFinite(sign + word)
        default:
            number = try self.readDecimal(sign: sign, at: start)
        }
        if let scalar = self.current, Self.continuesName(scalar) || scalar == "." {
            throw self.failure(
                "a number may not be followed by \(self.describeCurrent()); a value with a unit needs quotation marks",
                at: start
            )
        }
        return number
    }

    private mutating func readHexadecimal(
        sign: String,
        at start: SourcePosition
    ) throws(JSON5SyntaxError) -> JSON5Number {
        self.advance()
        self.advance()
        let digits = self.readDigits(radix: 16)
        guard !digits.isEmpty else { throw self.failure("hexadecimal digits were expected after 0x", at: start) }
        guard let value = Int(sign + digits, radix: 16) else {
            throw self.failure("the number does not fit into 64 bits", at: start)
        }
        return .integer(value)
    }

    private mutating func readDecimal(sign: String, at start: SourcePosition) throws(JSON5SyntaxError) -> JSON5Number {
        let whole = self.readDigits(radix: 10)
        if whole.count > 1, whole.hasPrefix("0") {
            throw self.failure("a number may not begin with 0; octal numbers do not exist in JSON5", at: start)
        }
        var fraction = ""
        var exponent = ""
        var isInteger = true
        if self.current == "." {
            isInteger = false
            self.advance()
            fraction = self.readDigits(radix: 10)
        }
        guard !whole.isEmpty || !fraction.isEmpty else { throw self.failure("this is no number", at: start) }
        if self.current == "e" || self.current == "E" {
            isInteger = false
            self.advance()
            if self.current == "+" || self.current == "-" {
                exponent = self.current == "-" ? "-" : ""
                self.advance()
            }
            let digits = self.readDigits(radix: 10)
            guard !digits.isEmpty else { throw self.failure("the exponent has no digits", at: start) }
            exponent += digits
        }
        if isInteger {
            guard let value = Int(sign + whole) else {
                throw self.failure("the number does not fit into 64 bits", at: start)
            }
            return .integer(value)
        }
        let text = sign + (whole.isEmpty ? "0" : whole) + "." + (fraction.isEmpty ? "0" : fraction)
        guard let value = Double(exponent.isEmpty ? text : text + "e" + exponent), value.isFinite else {
            throw self.failure("the number is too large", at: start)
        }
        return .fraction(value)
    }

    private mutating func readDigits(radix: Int) -> String {
        var digits = ""
        while let scalar = self.current, Self.digit(scalar, radix: radix) != nil {
            digits.unicodeScalars.append(scalar)
            self.advance()
        }
        return digits
    }
}
