/// A view of JSON bytes that finds values in them without building a tree.
///
/// ``validate(maximumDepth:refusingDuplicateMembers:)`` checks every byte against RFC 8259. All other methods take the
/// text to be valid and look only at what they need; on an invalid text they may find nothing or the wrong value, but
/// never read beyond the bytes. Validate first what a stranger sent.
///
/// ```swift
/// let scanner = try JSONScanner(validating: body)
/// let recordID = scanner.value(at: "recordId").flatMap(scanner.string(of:))
/// ```
///
/// Member names are compared byte by byte after escapes are undone. Where a name occurs twice, the first one counts.
public struct JSONScanner: Sendable {
    /// What a validation has found on its way.
    private struct Outline {
        var root: JSONValueRange
        /// The names of the outermost object's members, quotes included; nil when there were too many to keep.
        var names: [Range<Int>]?
    }

    /// How many members the outermost object may have for duplicates to be looked for among them.
    public static let maximumComparedMembers = 1_024

    private let bytes: [UInt8]
    private var outline: Outline?

    /// Looks at an array; nothing is copied.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Looks at an array and checks it as ``validate(maximumDepth:refusingDuplicateMembers:)`` does.
    ///
    /// Such a scanner knows where the members of the outermost object are: to find one, or to find that there is none,
    /// does not read the text again.
    public init(
        validating bytes: [UInt8],
        maximumDepth: Int = 128,
        refusingDuplicateMembers: Bool = false
    ) throws(JSONScanError) {
        self.init(bytes)
        self.outline = try self.outline(maximumDepth, refusingDuplicateMembers)
    }

    /// Checks that the bytes are one JSON text in UTF-8, with white space around it at most.
    ///
    /// Half a surrogate pair in an escape passes, as in the grammar; ``string(of:)`` is nil for it.
    ///
    /// - Parameters:
    ///   - maximumDepth: How many objects and arrays may lie inside each other, at most 1,024.
    ///   - refusingDuplicateMembers: Whether two members of one name in the outermost object are an error; more than
    ///     ``maximumComparedMembers`` members are one then, too.
    /// - Returns: The outermost value.
    /// - Throws: ``JSONScanError`` with the index of the first offending byte.
    @discardableResult
    public func validate(
        maximumDepth: Int = 128,
        refusingDuplicateMembers: Bool = false
    ) throws(JSONScanError) -> JSONValueRange {
        try self.outline(maximumDepth, refusingDuplicateMembers).root
    }

    /// The outermost value, or nil when there is none.
    public var root: JSONValueRange? {
        if let outline { return outline.root }
        return self.withCursor(at: 0) { cursor in
            cursor.skipWhitespace()
            return cursor.skipValue()
        }
    }

    /// The value that a path of member names leads to.
    ///
    /// - Parameter path: The name in the outermost object, then the name in that member's object, and so on.
    /// - Returns: Nil when a member is missing, or something on the way is no object.
    public func value(at path: String...) -> JSONValueRange? {
        self.value(at: path)
    }

    /// The value that a path of member names leads to.
    ///
    /// - Parameter path: The name in the outermost object, then the name in that member's object, and so on.
    /// - Returns: Nil when a member is missing, or something on the way is no object.
    public func value(at path: [String]) -> JSONValueRange? {
        self.withCursor(at: 0) { cursor in
            guard let name = path.first, let names = self.outline?.names else {
                cursor.skipWhitespace()
                return Self.value(at: path[...], from: &cursor)
            }
            guard cursor.findMember(name, among: names) else { return nil }
            return Self.value(at: path[1...], from: &cursor)
        }
    }

    /// The value that a path of member names leads to from an object on.
    public func value(at path: [String], in object: JSONValueRange) -> JSONValueRange? {
        self.withCursor(at: object.range.lowerBound) { Self.value(at: path[...], from: &$0) }
    }

    private static func value(at path: ArraySlice<String>, from cursor: inout JSONCursor) -> JSONValueRange? {
        for name in path {
            guard cursor.enterObject(), cursor.findMember(name) else { return nil }
        }
        return cursor.skipValue()
    }

    /// The members of an object, in order; none for any other value.
    public func members(of object: JSONValueRange) -> JSONMembers {
        JSONMembers(scanner: self, object: object)
    }

    /// The elements of an array, in order; none for any other value.
    public func elements(of array: JSONValueRange) -> JSONElements {
        JSONElements(scanner: self, array: array)
    }

    /// Lends the bytes of a value as they are, for the time of the call.
    public func withBytes<Result, Failure: Error>(
        of value: JSONValueRange,
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try self.withCursor(at: value.range.lowerBound) { (cursor) throws(Failure) in
            try body(cursor.slice(value.range))
        }
    }

    /// Lends a cursor for the time of the call.
    func withCursor<Result, Failure: Error>(
        at position: Int,
        _ body: (inout JSONCursor) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition((0...self.bytes.count).contains(position), "a position in these bytes")
        return try self.bytes.withUnsafeBufferPointer { (bytes) throws(Failure) in
            guard let base = bytes.baseAddress else {
                // An empty buffer may have no address; a cursor always has one.
                return try withUnsafeBytes(of: UInt8(0)) { (placeholder) throws(Failure) in
                    guard let base = placeholder.baseAddress else { preconditionFailure("a byte has an address") }
                    var cursor = JSONCursor(base: base, end: 0, position: 0)
                    return try body(&cursor)
                }
            }
            var cursor = JSONCursor(base: UnsafeRawPointer(base), end: bytes.count, position: position)
            return try body(&cursor)
        }
    }

    private func outline(
        _ maximumDepth: Int,
        _ refusingDuplicateMembers: Bool
    ) throws(JSONScanError) -> Outline {
        precondition((0...1_024).contains(maximumDepth), "a depth of 0 to 1,024")
        var names: [Range<Int>] = []
        names.reserveCapacity(16)
        var surplusName: Range<Int>?
        let root = try self.withCursor(at: 0) { (cursor) throws(JSONScanError) in
            cursor.skipWhitespace()
            let root = try cursor.validateValue(maximumDepth: maximumDepth) { name in
                if names.count < Self.maximumComparedMembers {
                    names.append(name)
                } else if surplusName == nil {
                    surplusName = name
                }
            }
            cursor.skipWhitespace()
            guard cursor.position == cursor.end else { throw JSONScanError(.trailingBytes, at: cursor.position) }
            return root
        }
        guard root.kind == .object else { return Outline(root: root, names: nil) }
        if refusingDuplicateMembers {
            try self.refuseDuplicates(among: names)
            if let surplusName { throw JSONScanError(.tooManyMembers, at: surplusName.lowerBound) }
        }
        return Outline(root: root, names: surplusName == nil ? names : nil)
    }

    private func refuseDuplicates(among names: [Range<Int>]) throws(JSONScanError) {
        var seen: Set<[UInt8]> = []
        seen.reserveCapacity(names.count)
        for name in names {
            let decoded = self.withCursor(at: name.lowerBound) { cursor in
                JSONText.decode(cursor.slice(name.lowerBound + 1..<name.upperBound - 1))?.bytes ?? []
            }
            guard seen.insert(decoded).inserted else { throw JSONScanError(.duplicateMember, at: name.lowerBound) }
        }
    }
}

extension JSONCursor {
    /// Passes an opening brace; false when there is none.
    mutating func enterObject() -> Bool {
        guard self.next == UInt8(ascii: "{") else { return false }
        self.position += 1
        self.skipWhitespace()
        return true
    }

    /// Goes to the value of the first member of a name; false when there is none.
    fileprivate mutating func findMember(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { name in
            repeat {
                guard let found = self.skipMemberName() else { return false }
                if self.isName(at: found, equalTo: UnsafeRawBufferPointer(name)) { return true }
                guard self.skipValue() != nil else { return false }
            } while self.skipSeparator()
            return false
        }
    }

    /// Goes to the value of the first of these members that has a name; false when none has it.
    fileprivate mutating func findMember(_ name: String, among names: [Range<Int>]) -> Bool {
        var name = name
        return name.withUTF8 { name in
            for candidate in names where self.isName(at: candidate, equalTo: UnsafeRawBufferPointer(name)) {
                self.position = candidate.lowerBound
                return self.skipMemberName() != nil
            }
            return false
        }
    }

    private func isName(at range: Range<Int>, equalTo name: UnsafeRawBufferPointer) -> Bool {
        let characters = self.slice(range.lowerBound + 1..<range.upperBound - 1)
        if characters.count == name.count, characters.elementsEqual(name) {
            // Equal as it stands, unless it is an escape that spells something else.
            return !characters.contains(UInt8(ascii: "\\"))
        }
        guard characters.count > name.count, characters.contains(UInt8(ascii: "\\")) else { return false }
        return JSONText.decode(characters)?.bytes.elementsEqual(name) ?? false
    }
}
