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

    /// The content of a refusal, cut at the limit.
    private(set) var body: [UInt8] = []

    private let maximumBody: Int
    private var reader: AnswerReader

    /// Begins with nothing read.
    ///
    /// - Parameters:
    ///   - maximumHead: The largest head in bytes.
    ///   - maximumBody: How much of the content of a refusal is kept, in bytes.
    init(maximumHead: Int, maximumBody: Int) {
        self.reader = AnswerReader(maySwitch: true, maximumHead: maximumHead, maximumContent: .max)
        self.maximumBody = maximumBody
    }

    /// The head, once it is complete.
    var head: ResponseHead? { self.reader.head.isFinished ? self.reader.head : nil }

    /// Takes the next bytes of the connection.
    ///
    /// - Throws: What is wrong with the answer's head.
    mutating func take(_ bytes: UnsafeRawBufferPointer) throws(AnswerReader.Fault) -> Progress {
        let used = try self.reader.takeHead(bytes)
        guard self.reader.head.isFinished else { return .partial }
        if self.reader.head.status == 101 { return .switched(consumed: used) }
        var content: [UInt8] = []
        let room = self.maximumBody - self.body.count
        // That the server refused is known by now: what is wrong with the content behind the head only cuts it off.
        let isBroken =
            (try? self.reader.takeContent(UnsafeRawBufferPointer(rebasing: bytes[used...])) {
                content.append(contentsOf: $0.prefix(room - content.count))
            }) == nil
        self.body += content
        return isBroken || self.reader.isComplete || self.body.count == self.maximumBody ? .refused : .partial
    }
}
