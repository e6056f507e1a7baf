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

    /// Of a realtime round: its parameters without their key, and its audio, however that was cut into frames.
    static func make(path: String, parameters: [UInt8], audioCount: Int, audio: KeyedDigest.Tag) -> Digest256 {
        var fields = LengthPrefixedFields()
        fields.append("realtime")
        fields.append(path)
        withUnsafeBytes(of: UInt64(parameters.count).bigEndian) { fields.bytes.append(contentsOf: $0) }
        fields.bytes.append(contentsOf: parameters)
        withUnsafeBytes(of: UInt64(audioCount).bigEndian) { fields.bytes.append(contentsOf: $0) }
        audio.withBytes { fields.bytes.append(contentsOf: $0) }
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
