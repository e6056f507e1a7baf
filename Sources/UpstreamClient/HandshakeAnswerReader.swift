internal import HTTPWire

/// Reads the answer to the handshake of a WebSocket: 101, behind which frames begin, or any other with its content.
///
/// Bytes go in; no socket, no clock.
struct HandshakeAnswerReader {
    /// How far the answer is.
    enum Progress: Equatable {
        /// Bytes are missing.
        case partial
        /// The server speaks WebSocket from the byte on that lies so far behind the first of those just taken.
        case switched(consumed: Int)
        /// The server answered otherwise; as much of its content as is wanted is there.
        case refused
    }

    /// The head, once it is complete.
    private(set) var head: HTTPResponseHead?
    /// The content of a refusal, cut at the limit.
    private(set) var body: [UInt8] = []

    private let maximumBody: Int
    private var parser: HTTP1ResponseHeadParser
    private var decoder: HTTP1BodyDecoder?

    /// Begins with nothing read.
    ///
    /// - Parameters:
    ///   - maximumHead: The largest head in bytes.
    ///   - maximumBody: How much of the content of a refusal is kept, in bytes.
    init(maximumHead: Int, maximumBody: Int) {
        var limits = HTTP1Limits()
        limits.headBytes = maximumHead
        self.parser = HTTP1ResponseHeadParser(limits: limits)
        self.maximumBody = maximumBody
    }

    /// Takes the next bytes of the connection.
    ///
    /// - Throws: What is wrong with the answer's head.
    mutating func take(_ bytes: UnsafeRawBufferPointer) throws(HTTP1ResponseHeadError) -> Progress {
        var consumed = 0
        if self.head == nil {
            guard let head = try self.parser.parse(bytes, consumed: &consumed) else { return .partial }
            self.head = head
            if head.status == 101 { return .switched(consumed: consumed) }
            self.decoder = head.framing.map { HTTP1BodyDecoder(framing: $0) }
        }
        return self.takeContent(UnsafeRawBufferPointer(rebasing: bytes[consumed...]))
    }

    /// That the server refused is known by now: what is wrong with the content behind the head only cuts it off.
    private mutating func takeContent(_ bytes: UnsafeRawBufferPointer) -> Progress {
        var isComplete = false
        if var decoder = self.decoder {
            var rest = bytes
            var pieces: [UInt8] = []
            while !isComplete, !rest.isEmpty || decoder.isComplete {
                var consumed = 0
                isComplete = (try? decoder.decode(rest, consumed: &consumed) { pieces.append(contentsOf: $0) }) ?? true
                rest = UnsafeRawBufferPointer(rebasing: rest[consumed...])
            }
            self.decoder = decoder
            pieces.withUnsafeBytes { self.keep($0) }
        } else {
            self.keep(bytes)
        }
        return isComplete || self.body.count == self.maximumBody ? .refused : .partial
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer) {
        self.body.append(contentsOf: bytes.prefix(self.maximumBody - self.body.count))
    }
}
