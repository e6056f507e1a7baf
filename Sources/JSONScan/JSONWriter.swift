/// Writes JSON text to a byte array: members in the order they are given, no white space, everything escaped that needs
/// it.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.object { error in
///     error.member("code", 40001)
///     error.member("message", message)
///     error.array("fields") { $0.element("config") }
/// }
/// send(writer.bytes)
/// ```
public struct JSONWriter: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []

    /// Begins with nothing.
    public init() {}

    /// Writes an object with what the closure adds.
    public mutating func object(_ build: (inout JSONObjectWriter) throws -> Void) rethrows {
        try JSONObjectWriter.write(to: &self.bytes, build)
    }

    /// Writes an array with what the closure adds.
    public mutating func array(_ build: (inout JSONArrayWriter) throws -> Void) rethrows {
        try JSONArrayWriter.write(to: &self.bytes, build)
    }

    /// Writes a single value.
    public mutating func value(_ value: some JSONWritable) {
        value.writeJSON(to: &self.bytes)
    }

    /// Writes a line feed: behind a value, this makes a line of NDJSON.
    public mutating func lineFeed() {
        self.bytes.append(0x0A)
    }
}

/// Takes the members of one object.
public struct JSONObjectWriter {
    private var bytes: [UInt8]
    private var isEmpty = true

    static func write(to bytes: inout [UInt8], _ build: (inout JSONObjectWriter) throws -> Void) rethrows {
        // The buffer moves in and out again, so that it keeps its one owner and is never copied.
        var writer = JSONObjectWriter(bytes: bytes.moved())
        writer.bytes.append(UInt8(ascii: "{"))
        defer { bytes = writer.bytes }
        try build(&writer)
        writer.bytes.append(UInt8(ascii: "}"))
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Adds a member; nil is written as `null`.
    public mutating func member(_ name: String, _ value: some JSONWritable) {
        self.begin(name)
        value.writeJSON(to: &self.bytes)
    }

    /// Adds a member that is `null`.
    public mutating func null(_ name: String) {
        self.begin(name)
        self.bytes.append(contentsOf: "null".utf8)
    }

    /// Adds a member whose value is JSON text already, and valid.
    public mutating func raw(_ name: String, _ json: [UInt8]) {
        self.begin(name)
        self.bytes.append(contentsOf: json)
    }

    /// Adds a member whose value is JSON text already, and valid.
    public mutating func raw(_ name: String, _ json: UnsafeRawBufferPointer) {
        self.begin(name)
        self.bytes.append(contentsOf: json)
    }

    /// Adds a member that is an object, with what the closure adds.
    public mutating func object(_ name: String, _ build: (inout JSONObjectWriter) throws -> Void) rethrows {
        self.begin(name)
        try JSONObjectWriter.write(to: &self.bytes, build)
    }

    /// Adds a member that is an array, with what the closure adds.
    public mutating func array(_ name: String, _ build: (inout JSONArrayWriter) throws -> Void) rethrows {
        self.begin(name)
        try JSONArrayWriter.write(to: &self.bytes, build)
    }

    private mutating func begin(_ name: String) {
        if !self.isEmpty { self.bytes.append(UInt8(ascii: ",")) }
        self.isEmpty = false
        name.writeJSON(to: &self.bytes)
        self.bytes.append(UInt8(ascii: ":"))
    }
}

/// Takes the elements of one array.
public struct JSONArrayWriter {
    private var bytes: [UInt8]
    private var isEmpty = true

    static func write(to bytes: inout [UInt8], _ build: (inout JSONArrayWriter) throws -> Void) rethrows {
        var writer = JSONArrayWriter(bytes: bytes.moved())
        writer.bytes.append(UInt8(ascii: "["))
        defer { bytes = writer.bytes }
        try build(&writer)
        writer.bytes.append(UInt8(ascii: "]"))
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Adds an element; nil is written as `null`.
    public mutating func element(_ value: some JSONWritable) {
        self.begin()
        value.writeJSON(to: &self.bytes)
    }

    /// Adds an element that is JSON text already, and valid.
    public mutating func raw(_ json: [UInt8]) {
        self.begin()
        self.bytes.append(contentsOf: json)
    }

    /// Adds an object, with what the closure adds.
    public mutating func object(_ build: (inout JSONObjectWriter) throws -> Void) rethrows {
        self.begin()
        try JSONObjectWriter.write(to: &self.bytes, build)
    }

    /// Adds an array, with what the closure adds.
    public mutating func array(_ build: (inout JSONArrayWriter) throws -> Void) rethrows {
        self.begin()
        try JSONArrayWriter.write(to: &self.bytes, build)
    }

    private mutating func begin() {
        if !self.isEmpty { self.bytes.append(UInt8(ascii: ",")) }
        self.isEmpty = false
    }
}

extension [UInt8] {
    /// The array, which is left empty behind.
    fileprivate mutating func moved() -> [UInt8] {
        var result: [UInt8] = []
        swap(&result, &self)
        return result
    }
}
