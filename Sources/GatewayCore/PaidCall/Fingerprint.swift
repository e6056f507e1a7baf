internal import Cryptography

/// What makes two requests the same: the operation, its path and every part's name and exact content.
///
/// Boundary, order, file names and part headers do not count (design, section 4, step 4).
enum Fingerprint {
    static func make(operation: String, path: String, form: ReceivedForm) -> Digest256 {
        var bytes: [UInt8] = []
        Self.append(Array(operation.utf8), to: &bytes)
        Self.append(Array(path.utf8), to: &bytes)
        for part in form.parts.sorted(by: { $0.name < $1.name }) {
            Self.append(Array(part.name.utf8), to: &bytes)
            withUnsafeBytes(of: UInt64(part.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: part.digest.bytes)
        }
        return SHA256.hash(of: bytes)
    }

    private static func append(_ field: [UInt8], to bytes: inout [UInt8]) {
        withUnsafeBytes(of: UInt32(field.count).bigEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: field)
    }
}
