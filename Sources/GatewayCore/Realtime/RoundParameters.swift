public import JSONScan

/// The parameters of a realtime round, as the client's frame has them.
public struct RoundParameters: Sendable {
    /// The member that holds the idempotency key, in both dialects.
    static let keyMember = "idempotencyKey"

    /// The frame as it came.
    let frame: [UInt8]
    /// What is evaluated, as records name it.
    public let coreType: String
    /// The key that the frame names, or nil.
    let key: IdempotencyKey?
    /// Where the frame's brace opens, and where the value of the key's member stands if there is one.
    private let start: Int
    private let keyRange: Range<Int>?

    /// Takes a frame that is one JSON object without repeated members.
    ///
    /// - Throws: 400/40001 for a malformed key.
    public init(frame: [UInt8], scanner: JSONScanner, coreType: String) throws(GatewayError) {
        self.frame = frame
        self.coreType = coreType
        self.start = frame.firstIndex(of: UInt8(ascii: "{")) ?? 0
        let value = scanner.value(at: Self.keyMember)
        self.keyRange = value?.range
        guard let value, value.kind != .null else {
            self.key = nil
            return
        }
        guard let key = scanner.string(of: value).flatMap(IdempotencyKey.init) else {
            throw .invalid("'\(Self.keyMember)' must be 1 to 200 printable ASCII characters without spaces.")
        }
        self.key = key
    }

    /// The frame with another key, or with one where it had none.
    public func frame(withKey key: String) -> [UInt8] {
        if let keyRange {
            return self.frame[..<keyRange.lowerBound] + Array("\"\(key)\"".utf8) + self.frame[keyRange.upperBound...]
        }
        let rest = self.frame[(self.start + 1)...]
        let isEmpty = rest.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "}")
        let member = "\"\(Self.keyMember)\":\"\(key)\"" + (isEmpty ? "" : ",")
        return self.frame[...self.start] + Array(member.utf8) + rest
    }

    /// The frame without its key: what makes two rounds the same beside their audio.
    ///
    /// The whole member goes, with one comma: a client that was told a key in `started` sends it in a frame that had
    /// none before.
    var frameWithoutKey: [UInt8] {
        guard let keyRange else { return self.frame }
        let whitespace: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
        let comma = UInt8(ascii: ",")
        // The name's last quotation mark is in front of the colon; the name itself has no other inside.
        let quote = UInt8(ascii: "\"")
        guard let end = self.frame[..<keyRange.lowerBound].lastIndex(of: quote),
            let start = self.frame[..<end].lastIndex(of: quote)
        else { return self.frame }
        let behind = self.frame[keyRange.upperBound...].firstIndex { !whitespace.contains($0) } ?? self.frame.endIndex
        if behind < self.frame.endIndex, self.frame[behind] == comma {
            let next = self.frame[(behind + 1)...].firstIndex { !whitespace.contains($0) } ?? self.frame.endIndex
            return Array(self.frame[..<start] + self.frame[next...])
        }
        let before = self.frame[..<start].lastIndex { !whitespace.contains($0) } ?? start
        let cut = self.frame[before] == comma ? before : start
        return Array(self.frame[..<cut] + self.frame[keyRange.upperBound...])
    }
}
