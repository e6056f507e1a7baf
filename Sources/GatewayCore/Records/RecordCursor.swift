internal import Cryptography
internal import Store

/// Where a list of records goes on, as a caller holds it: opaque, and good for the same list only.
///
/// The position is sealed with the list's filter under a key of the store, so nobody can make one up, nor take one from
/// another's list.
struct RecordCursor: Sendable {
    private static let tagBytes = 16
    private let secret: Secret

    init(secret: Secret) {
        self.secret = secret
    }

    /// The text for a position of a list.
    func text(_ position: RecordPosition, of filter: RecordFilter) -> String {
        let bytes = Self.bytes(position)
        return Base64.encode(bytes + self.tag(bytes, filter), as: .urlSafe)
    }

    /// The position in a text.
    ///
    /// - Throws: 400/40001 for a text that is not a cursor of this list.
    func position(_ text: String, of filter: RecordFilter) throws(GatewayError) -> RecordPosition {
        guard text.utf8.count < 128, let bytes = Base64.decode(text, as: .urlSafe), bytes.count == 16 + Self.tagBytes,
            constantTimeEqual(Array(bytes[16...]), self.tag(Array(bytes[..<16]), filter))
        else {
            throw .invalid("cursor: send the nextCursor of the page before, with the same userId, from and to.")
        }
        func number(_ range: Range<Int>) -> Int64 {
            Int64(bitPattern: bytes[range].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
        return RecordPosition(createdAt: number(0..<8), id: number(8..<16))
    }

    private static func bytes(_ position: RecordPosition) -> [UInt8] {
        withUnsafeBytes(of: (position.createdAt.bigEndian, position.id.bigEndian)) { Array($0) }
    }

    private func tag(_ position: [UInt8], _ filter: RecordFilter) -> [UInt8] {
        var fields = LengthPrefixedFields()
        fields.append("records")
        fields.append(filter.client)
        fields.bytes.append(filter.user == nil ? 0 : 1)
        fields.append(filter.user ?? "")
        withUnsafeBytes(of: (filter.from.bigEndian, filter.to.bigEndian)) { fields.bytes.append(contentsOf: $0) }
        fields.bytes += position
        let code = HMACSHA256.authenticationCode(for: fields.bytes, key: self.secret)
        return Array(code.bytes.prefix(Self.tagBytes))
    }
}
