internal import Cryptography

/// What makes two requests the same: the operation, its path and every part's name and exact content.
///
/// Boundary, order, file names and part headers do not count (design, section 4, step 4). Contents enter by their tags
/// under the store's key: fingerprints can be compared within one database only.
enum Fingerprint {
    static func make(operation: String, path: String, form: ReceivedForm) -> Digest256 {
        var fields = LengthPrefixedFields()
        fields.append(operation)
        fields.append(path)
        for part in form.parts.sorted(by: { $0.name < $1.name }) {
            fields.append(part.name)
            withUnsafeBytes(of: UInt64(part.count).bigEndian) { fields.bytes.append(contentsOf: $0) }
            part.tag.withBytes { fields.bytes.append(contentsOf: $0) }
        }
        return SHA256.hash(of: fields.bytes)
    }

    /// Of a body that is one whole: white space and the order of its members count.
    static func make(operation: String, path: String, body: ReceivedJSON) -> Digest256 {
        var fields = LengthPrefixedFields()
        fields.append(operation)
        fields.append(path)
        withUnsafeBytes(of: UInt64(body.bytes.count).bigEndian) { fields.bytes.append(contentsOf: $0) }
        body.tag.withBytes { fields.bytes.append(contentsOf: $0) }
        return SHA256.hash(of: fields.bytes)
    }
}
