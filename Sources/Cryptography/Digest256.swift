/// Thirty-two bytes: a SHA-256 digest or an authentication code.
///
/// Equality takes the same time wherever two values differ, so that codes may be compared with `==`.
public struct Digest256: Sendable {
    /// The number of bytes.
    public static let byteCount = 32

    // Four words in memory order: no allocation, and comparison without branches.
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// Takes 32 bytes, or is nil for any other number.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(filledBy: { $0.copyBytes(from: bytes) })
    }

    /// Makes a value whose 32 bytes the closure fills; they are zero before.
    init(filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) {
        withUnsafeMutableBytes(of: &self.words, fill)
    }

    /// Lends the 32 bytes for the time of the call.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBytes(of: self.words, body)
    }

    /// The 32 bytes.
    public var bytes: [UInt8] { self.withBytes { [UInt8]($0) } }

    /// The bytes as 64 lower-case hexadecimal digits.
    public var hex: String { self.withBytes { Hex.encode($0) } }
}

extension Digest256: Hashable {
    /// Whether two digests are equal, in constant time.
    public static func == (left: Digest256, right: Digest256) -> Bool {
        let difference =
            (left.words.0 ^ right.words.0) | (left.words.1 ^ right.words.1) | (left.words.2 ^ right.words.2)
            | (left.words.3 ^ right.words.3)
        return difference == 0
    }

    /// Feeds the bytes.
    public func hash(into hasher: inout Hasher) {
        self.withBytes { hasher.combine(bytes: $0) }
    }
}

extension Digest256: CustomStringConvertible {
    /// The bytes as 64 lower-case hexadecimal digits.
    public var description: String { self.hex }
}
