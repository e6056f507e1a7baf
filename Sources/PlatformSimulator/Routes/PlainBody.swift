import HTTPWire

/// Reads content that nobody looks at, or that is small and kept whole.
///
/// `@unchecked Sendable`: confined to the loop of the connection that the content comes from.
final class PlainBody: HTTPBodyConsumer, @unchecked Sendable {
    private let kept: Int
    /// How many bytes have come.
    private(set) var byteCount = 0
    /// The first of them.
    private(set) var bytes: [UInt8] = []

    /// - Parameter kept: How many bytes to keep.
    init(keeping kept: Int) {
        self.kept = kept
    }

    func consume(_ bytes: UnsafeRawBufferPointer) {
        self.byteCount += bytes.count
        let room = self.kept - self.bytes.count
        self.bytes.append(contentsOf: bytes.prefix(room))
    }
}
