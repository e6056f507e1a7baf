public import Cryptography
internal import HTTPWire
public import JSONScan

/// A complete JSON body: one object, checked to the last byte, with its exact bytes.
public struct ReceivedJSON: Sendable {
    /// The bytes as they came.
    public let bytes: [UInt8]
    /// Finds members in them.
    public let scanner: JSONScanner
    /// The outermost object.
    public let root: JSONValueRange
    /// What the exact bytes digest to under the store's key.
    public let tag: KeyedDigest.Tag
    /// Given back with the last copy.
    private var room: BodyRoom?

    /// Takes a body apart, strictly (RFC 8259): of a repeated member, the platform may read the other one.
    ///
    /// - Throws: 400/40001 that says where the text is wrong, or which member is repeated.
    init(_ bytes: [UInt8], digest: consuming KeyedDigest) throws(GatewayError) {
        let scanner: JSONScanner
        do {
            scanner = try JSONScanner(validating: bytes, refusingDuplicateMembers: true)
        } catch {
            throw Self.refusal(of: error, in: JSONScanner(bytes))
        }
        guard let root = scanner.root, root.kind == .object else {
            throw .invalid("The body is not a JSON object.")
        }
        digest.update(bytes)
        self.bytes = bytes
        self.scanner = scanner
        self.root = root
        self.tag = digest.finalize()
    }

    /// The same with the room that is reserved for it.
    func holding(_ room: BodyRoom) -> ReceivedJSON {
        var copy = self
        copy.room = room
        return copy
    }

    /// What a client reads when a body cannot be taken as it is, by the name of the member where there is one.
    private static func refusal(of error: JSONScanError, in scanner: JSONScanner) -> GatewayError {
        guard error.reason == .duplicateMember, let name = scanner.memberName(at: error.offset) else {
            return .invalid("The body is not a JSON object: \(error).")
        }
        return .invalid("The body has the member '\(name.prefix(64))' twice; send each name once.")
    }
}
