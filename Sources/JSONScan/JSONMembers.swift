/// The members of an object, found one by one.
public struct JSONMembers: Sequence, IteratorProtocol {
    /// One member.
    public struct Member: Sendable {
        /// The name with escapes undone; half a surrogate pair shows as replacement characters.
        public let key: String
        /// Where the name is; ``JSONScanner/string(of:)`` tells names apart that only replacement characters make equal.
        public let name: JSONValueRange
        /// The value.
        public let value: JSONValueRange
    }

    private let scanner: JSONScanner
    // Nil when there are no more.
    private var position: Int?

    init(scanner: JSONScanner, object: JSONValueRange) {
        self.scanner = scanner
        guard object.kind == .object else { return }
        self.position = scanner.withCursor(at: object.range.lowerBound) { cursor in
            cursor.enterObject() ? cursor.position : nil
        }
    }

    /// The next member, or nil behind the last one.
    public mutating func next() -> Member? {
        guard let position = self.position else { return nil }
        self.position = nil
        return self.scanner.withCursor(at: position) { cursor in
            guard let name = cursor.skipMemberName(), let value = cursor.skipValue() else { return nil }
            let characters = cursor.slice(name.lowerBound + 1..<name.upperBound - 1)
            let decoded = characters.contains(UInt8(ascii: "\\")) ? JSONText.decode(characters)?.bytes : nil
            let key = decoded.map { String(decoding: $0, as: UTF8.self) } ?? String(decoding: characters, as: UTF8.self)
            if cursor.skipSeparator() { self.position = cursor.position }
            return Member(key: key, name: JSONValueRange(.string, name), value: value)
        }
    }
}

/// The elements of an array, found one by one.
public struct JSONElements: Sequence, IteratorProtocol {
    private let scanner: JSONScanner
    // Nil when there are no more.
    private var position: Int?

    init(scanner: JSONScanner, array: JSONValueRange) {
        self.scanner = scanner
        guard array.kind == .array else { return }
        self.position = scanner.withCursor(at: array.range.lowerBound) { cursor in
            cursor.position += 1
            cursor.skipWhitespace()
            return cursor.position
        }
    }

    /// The next element, or nil behind the last one.
    public mutating func next() -> JSONValueRange? {
        guard let position = self.position else { return nil }
        self.position = nil
        return self.scanner.withCursor(at: position) { cursor in
            guard let value = cursor.skipValue() else { return nil }
            if cursor.skipSeparator() { self.position = cursor.position }
            return value
        }
    }
}
