/// Writes lines of comma-separated values (RFC 4180).
public struct CSVWriter: Sendable {
    private static let formulaBytes = Array("=+-@\t\r".utf8)
    private static let quotedBytes = Array("\",\r\n".utf8)

    /// What has been written.
    public private(set) var bytes: [UInt8] = []

    /// Begins with nothing.
    public init() {}

    /// Writes one line; nil is an empty field.
    public mutating func line(_ fields: [String?]) {
        for (index, field) in fields.enumerated() {
            if index > 0 { self.bytes.append(UInt8(ascii: ",")) }
            self.append(field ?? "")
        }
        self.bytes += [0x0D, 0x0A]
    }

    private mutating func append(_ field: String) {
        // A spreadsheet would run a field that begins like a formula; behind an apostrophe it is text. Numbers of ours
        // are never negative, so none is changed.
        let first = field.utf8.first
        let isFormula = first.map { Self.formulaBytes.contains($0) } ?? false
        let text = isFormula ? "'" + field : field
        guard text.utf8.contains(where: { Self.quotedBytes.contains($0) }) else {
            self.bytes += text.utf8
            return
        }
        self.bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { self.bytes.append(byte) }
            self.bytes.append(byte)
        }
        self.bytes.append(UInt8(ascii: "\""))
    }
}
