internal import HTTPWire

/// Hands out the bytes of a request, head first, and keeps count of what left.
struct RequestWriter {
    private let head: [UInt8]
    private var body: RequestBodyReader
    private let isSecure: Bool
    /// The number of bytes that the connection took.
    private var sent = 0
    /// The most bytes that were given to the connection at any time.
    private var offered = 0

    /// Begins with the first byte of the head.
    ///
    /// - Parameter isSecure: Whether TLS may have sent a record of what it has not said to have taken.
    init(head: [UInt8], body: RequestBodyReader, isSecure: Bool) {
        self.head = head
        self.body = body
        self.isSecure = isSecure
    }

    /// Whether all of it has been sent.
    var isDone: Bool { self.sent == self.head.count + self.body.count }

    /// Whether there is content to send.
    var hasContent: Bool { self.body.count > 0 }

    /// How many bytes of the content, or of the head of a request without, may have reached the other side.
    ///
    /// Zero only when none can have.
    var bytesSent: Int {
        let reached = self.isSecure ? self.offered : self.sent
        return self.hasContent ? max(0, reached - self.head.count) : reached
    }

    /// Copies the bytes that come next, as many as there is room for.
    ///
    /// The number of bytes; nil when content could not be read from its file.
    func copy(into memory: UnsafeMutableRawBufferPointer) -> Int? {
        let head = self.head.dropFirst(self.sent).prefix(memory.count)
        head.withUnsafeBytes { memory.copyMemory(from: $0) }
        let rest = UnsafeMutableRawBufferPointer(rebasing: memory[head.count...])
        return self.body.copy(into: rest).map { head.count + $0 }
    }

    /// So many of the bytes that come next are about to be given to the connection.
    mutating func offer(_ count: Int) {
        self.offered = max(self.offered, self.sent + count)
    }

    /// So many bytes were taken by the connection.
    mutating func advance(_ count: Int) {
        let head = min(count, max(0, self.head.count - self.sent))
        self.sent += count
        self.body.advance(count - head)
    }
}
