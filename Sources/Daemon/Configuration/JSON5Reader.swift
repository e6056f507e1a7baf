/// Reads a JSON5 document (json5.org, version 1.0.0) into values that remember where they were written.
///
/// Foundation's decoder reads JSON5 too, but names no line in its errors and takes the first of two equal keys in
/// silence; a daemon's configuration needs both.
struct JSON5Reader {
    /// The largest document in bytes.
    static let maximumSize = 1 << 20
    /// How deep objects and lists may nest.
    static let maximumDepth = 32

    /// What was read: the value, and what is wrong with it although it could be read.
    struct Document: Sendable {
        /// The outermost value.
        let root: JSON5Value
        /// Keys that stand a second time in their object; the first was taken.
        let duplicates: [JSON5SyntaxError]
    }

    private let scalars: [Unicode.Scalar]
    private var duplicates: [JSON5SyntaxError] = []
    private var index = 0
    private var line = 1
    private var column = 1

    private init(scalars: [Unicode.Scalar]) {
        self.scalars = scalars
    }

    /// Reads a whole document.
    ///
    /// - Parameter bytes: The document in UTF-8.
    /// - Throws: ``JSON5SyntaxError`` at the first place that is no JSON5.
    static func read(_ bytes: [UInt8]) throws(JSON5SyntaxError) -> Document {
        guard bytes.count <= Self.maximumSize else {
            throw JSON5SyntaxError(
                position: SourcePosition(line: 1, column: 1),
                message: "the file is larger than 1 MiB"
            )
        }
        var reader = JSON5Reader(scalars: try Self.decode(bytes))
        try reader.skipBlank()
        let value = try reader.readValue(depth: 0)
        try reader.skipBlank()
        guard reader.current == nil else {
            throw reader.failure("unexpected \(reader.describeCurrent()) after the end of the document")
        }
        return Document(root: value, duplicates: reader.duplicates)
    }

    private static func decode(_ bytes: [UInt8]) throws(JSON5SyntaxError) -> [Unicode.Scalar] {
        var scalars: [Unicode.Scalar] = []
        scalars.reserveCapacity(bytes.count)
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var line = 1
        var column = 1
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar):
                scalars.append(scalar)
                column += 1
                if scalar == "\n" {
                    line += 1
                    column = 1
                }
            case .emptyInput:
                return scalars
            case .error:
                throw JSON5SyntaxError(
                    position: SourcePosition(line: line, column: column),
                    message: "the file is not UTF-8 here"
                )
            }
        }
    }

    // MARK: - Characters

    var current: Unicode.Scalar? {
        self.index < self.scalars.count ? self.scalars[self.index] : nil
    }

    var next: Unicode.Scalar? {
        self.index + 1 < self.scalars.count ? self.scalars[self.index + 1] : nil
    }

    var position: SourcePosition {
        SourcePosition(line: self.line, column: self.column)
    }

    mutating func advance() {
        guard let scalar = self.current else { return }
        self.index += 1
        // CR LF counts once, at its LF.
        if Self.isLineTerminator(scalar), !(scalar == "\r" && self.current == "\n") {
            self.line += 1
            self.column = 1
        } else {
            self.column += 1
        }
    }

    func failure(_ message: String, at position: SourcePosition? = nil) -> JSON5SyntaxError {
        JSON5SyntaxError(position: position ?? self.position, message: message)
    }

    /// Names the character at hand without quoting more than that one character.
    func describeCurrent() -> String {
        guard let scalar = self.current else { return "end of file" }
        if Self.isLineTerminator(scalar) { return "end of line" }
        if scalar.value < 0x20 || scalar.value == 0x7F {
            return "control character U+" + Self.hexadecimal(scalar.value, width: 4)
        }
        return "'\(scalar)'"
    }

    static func hexadecimal(_ value: UInt32, width: Int) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    static func isLineTerminator(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\n" || scalar == "\r" || scalar == "\u{2028}" || scalar == "\u{2029}"
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t", "\u{0B}", "\u{0C}", " ", "\u{A0}", "\u{FEFF}": true
        default: Self.isLineTerminator(scalar) || scalar.properties.generalCategory == .spaceSeparator
        }
    }

    /// Passes white space and comments.
    mutating func skipBlank() throws(JSON5SyntaxError) {
        while let scalar = self.current {
            if Self.isBlank(scalar) {
                self.advance()
            } else if scalar == "/", self.next == "/" {
                while let other = self.current, !Self.isLineTerminator(other) {
                    self.advance()
                }
            } else if scalar == "/", self.next == "*" {
                try self.skipBlockComment()
            } else {
                return
            }
        }
    }

    private mutating func skipBlockComment() throws(JSON5SyntaxError) {
        let start = self.position
        self.advance()
        self.advance()
        while let scalar = self.current {
            if scalar == "*", self.next == "/" {
                self.advance()
                self.advance()
                return
            }
            self.advance()
        }
        throw self.failure("the comment that begins here has no end (*/)", at: start)
    }

    // MARK: - Values

    private mutating func readValue(depth: Int) throws(JSON5SyntaxError) -> JSON5Value {
        guard depth <= Self.maximumDepth else {
            throw self.failure("values are nested deeper than \(Self.maximumDepth) levels")
        }
        let position = self.position
        switch self.current {
        case "{":
            return JSON5Value(kind: .object(try self.readObject(depth: depth)), position: position)
        case "[":
            return JSON5Value(kind: .array(try self.readArray(depth: depth)), position: position)
        case "\"", "'":
            return JSON5Value(kind: .string(try self.readString()), position: position)
        case .some(let scalar) where Self.beginsNumber(scalar):
            return JSON5Value(kind: .number(try self.readNumber()), position: position)
        case .some(let scalar) where Self.beginsName(scalar) || scalar == "\\":
            return JSON5Value(kind: try self.readWord(at: position), position: position)
        default:
            throw self.failure("a value was expected, not \(self.describeCurrent())")
        }
    }

    private mutating func readWord(at position: SourcePosition) throws(JSON5SyntaxError) -> JSON5Value.Kind {
        switch try self.readName() {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null": return .null
        case "Infinity": return .number(.notFinite("Infinity"))
        case "NaN": return .number(.notFinite("NaN"))
        default:
            throw self.failure("a value was expected; a text needs quotation marks around it", at: position)
        }
    }

    private mutating func readArray(depth: Int) throws(JSON5SyntaxError) -> [JSON5Value] {
        let start = self.position
        var elements: [JSON5Value] = []
        self.advance()
        try self.skipBlank()
        while self.current != "]" {
            guard self.current != nil else { throw self.failure("the list that begins here has no end (])", at: start) }
            elements.append(try self.readValue(depth: depth + 1))
            try self.skipBlank()
            guard self.current == "," else { break }
            self.advance()
            try self.skipBlank()
        }
        guard self.current == "]" else {
            guard self.current != nil else { throw self.failure("the list that begins here has no end (])", at: start) }
            throw self.failure("',' or ']' was expected, not \(self.describeCurrent())")
        }
        self.advance()
        return elements
    }

    private mutating func readObject(depth: Int) throws(JSON5SyntaxError) -> [JSON5Member] {
        let start = self.position
        var members: [JSON5Member] = []
        var places: [String: SourcePosition] = [:]
        self.advance()
        try self.skipBlank()
        while self.current != "}" {
            guard self.current != nil else {
                throw self.failure("the object that begins here has no end (})", at: start)
            }
            let member = try self.readMember(depth: depth)
            if let earlier = places[member.key] {
                self.duplicates.append(
                    self.failure(
                        "the key \"\(member.key)\" stands here a second time; the first is on line \(earlier.line)",
                        at: member.position
                    )
                )
            } else {
                places[member.key] = member.position
                members.append(member)
            }
            try self.skipBlank()
            guard self.current == "," else { break }
            self.advance()
            try self.skipBlank()
        }
        guard self.current == "}" else {
            guard self.current != nil else {
                throw self.failure("the object that begins here has no end (})", at: start)
            }
            throw self.failure("',' or '}' was expected, not \(self.describeCurrent())")
        }
        self.advance()
        return members
    }

    private mutating func readMember(depth: Int) throws(JSON5SyntaxError) -> JSON5Member {
        let position = self.position
        let key: String
        switch self.current {
        case "\"", "'":
            key = try self.readString()
        case .some(let scalar) where Self.beginsName(scalar) || scalar == "\\":
            key = try self.readName()
        default:
            throw self.failure("a key was expected, not \(self.describeCurrent())")
        }
        try self.skipBlank()
        guard self.current == ":" else {
            throw self.failure("':' was expected after the key, not \(self.describeCurrent())")
        }
        self.advance()
        try self.skipBlank()
        return JSON5Member(key: key, position: position, value: try self.readValue(depth: depth + 1))
    }
}
