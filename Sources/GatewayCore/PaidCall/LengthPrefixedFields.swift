/// Bytes of several texts, each behind its length: no two lists of texts have the same bytes.
struct LengthPrefixedFields: Sendable {
    /// What was written; fields of a fixed size may be added without a prefix.
    var bytes: [UInt8] = []

    init() {
        // Room for what is usually written at once.
        self.bytes.reserveCapacity(256)
    }

    mutating func append(_ text: String) {
        withUnsafeBytes(of: UInt32(text.utf8.count).bigEndian) { self.bytes.append(contentsOf: $0) }
        self.bytes.append(contentsOf: text.utf8)
    }
}
