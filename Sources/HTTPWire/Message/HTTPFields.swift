/// An ordered list of header fields in one byte buffer.
///
/// A parsed head becomes a list without a string per field: names and values are ranges of the head's own bytes.
public struct HTTPFields: Sendable {
    /// Where one field stands in the storage.
    public struct Entry: Sendable {
        let name: Range<Int>
        let value: Range<Int>

        /// Takes the ranges of a name and of its value (without surrounding white space) in the storage.
        public init(name: Range<Int>, value: Range<Int>) {
            self.name = name
            self.value = value
        }
    }

    private var storage: [UInt8]
    private var entries: [Entry]

    /// An empty list.
    public init() {
        self.storage = []
        self.entries = []
    }

    /// Takes bytes that hold fields at the given places.
    ///
    /// - Parameters:
    ///   - storage: The bytes, for instance a whole request head.
    ///   - entries: Ranges within `storage`, in the order of the fields.
    public init(storage: [UInt8], entries: [Entry]) {
        self.storage = storage
        self.entries = entries
    }

    /// The number of field lines.
    public var count: Int { self.entries.count }

    /// Appends a field line; a byte that no field value may hold becomes a space, so that no line can be forged.
    public mutating func append(_ name: HTTPField.Name, _ value: String) {
        if self.entries.isEmpty {
            // Room for the fields of an ordinary message at once.
            self.entries.reserveCapacity(8)
            self.storage.reserveCapacity(512)
        }
        let nameStart = self.storage.count
        self.storage.append(contentsOf: name.spelling.utf8)
        let valueStart = self.storage.count
        self.storage.append(contentsOf: value.utf8)
        for index in valueStart..<self.storage.count where !HTTPToken.isFieldValueByte(self.storage[index]) {
            self.storage[index] = 0x20
        }
        self.entries.append(Entry(name: nameStart..<valueStart, value: valueStart..<self.storage.count))
    }

    /// Removes every line of a name and appends one with the new value.
    public mutating func set(_ name: HTTPField.Name, _ value: String) {
        self.remove(name)
        self.append(name, value)
    }

    /// Removes every line of a name.
    public mutating func remove(_ name: HTTPField.Name) {
        let kept = self.entries.filter { !self.matches($0, name) }
        self.entries = kept
    }

    /// The value of the first line with this name, or nil.
    public subscript(_ name: HTTPField.Name) -> String? {
        self.entries.first { self.matches($0, name) }.map { self.text($0.value) }
    }

    /// The values of all lines with this name, in order.
    public func values(of name: HTTPField.Name) -> [String] {
        var values: [String] = []
        for entry in self.entries where self.matches(entry, name) { values.append(self.text(entry.value)) }
        return values
    }

    /// The bytes of the value of the first line with this name, or nil.
    func rawValue(of name: HTTPField.Name) -> ArraySlice<UInt8>? {
        self.entries.first { self.matches($0, name) }.map { self.storage[$0.value] }
    }

    /// The members of all lines with this name that hold lists, without empty ones (RFC 9110, section 5.6.1).
    public func members(of name: HTTPField.Name) -> [String] {
        var members: [String] = []
        for entry in self.entries where self.matches(entry, name) {
            self.storage[entry.value].withUnsafeBufferPointer { value in
                for member in HTTP1HeadReader.members(value) { members.append(String(decoding: member, as: UTF8.self)) }
            }
        }
        return members
    }

    /// The number of lines with this name.
    public func count(of name: HTTPField.Name) -> Int {
        self.entries.count { self.matches($0, name) }
    }

    /// Whether a line with this name exists.
    public func contains(_ name: HTTPField.Name) -> Bool {
        self.entries.contains { self.matches($0, name) }
    }

    /// The name of line `index` as received.
    public func name(at index: Int) -> String {
        self.text(self.entries[index].name)
    }

    /// The value of line `index`.
    public func value(at index: Int) -> String {
        self.text(self.entries[index].value)
    }

    /// Writes all lines, each as `Name: value` and CRLF, to the end of a buffer.
    public func encode(into buffer: inout [UInt8]) {
        self.encode(into: &buffer) { _ in false }
    }

    /// Writes the lines whose names are not left out.
    func encode(into buffer: inout [UInt8], leavingOut isLeftOut: (UnsafeBufferPointer<UInt8>) -> Bool) {
        self.storage.withUnsafeBufferPointer { bytes in
            for entry in self.entries {
                let name = UnsafeBufferPointer(rebasing: bytes[entry.name])
                guard !isLeftOut(name) else { continue }
                buffer.append(contentsOf: name)
                buffer.append(ASCII.colon)
                if !entry.value.isEmpty { buffer.append(ASCII.space) }
                buffer.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[entry.value]))
                buffer.append(ASCII.carriageReturn)
                buffer.append(ASCII.lineFeed)
            }
        }
    }

    /// Whether every name is a token and no value holds a byte that would end its line.
    var isWellFormed: Bool {
        self.storage.withUnsafeBufferPointer { bytes in
            self.entries.allSatisfy { entry in
                !entry.name.isEmpty && bytes[entry.name].allSatisfy(HTTPToken.isTokenByte)
                    && bytes[entry.value].allSatisfy(HTTPToken.isFieldValueByte)
            }
        }
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: self.storage[range], as: UTF8.self)
    }

    private func matches(_ entry: Entry, _ name: HTTPField.Name) -> Bool {
        guard entry.name.count == name.canonical.utf8.count else { return false }
        var index = entry.name.lowerBound
        for byte in name.canonical.utf8 {
            guard HTTPToken.lowercased(self.storage[index]) == byte else { return false }
            index += 1
        }
        return true
    }
}
