/// Why the head of an answer cannot be understood; the text says how.
public struct HTTP1ResponseHeadError: Error, Hashable, Sendable {
    /// What is wrong, in one sentence without any byte of the answer.
    public let message: String
}

/// An incremental parser of the head of an answer (RFC 9112, section 4), for the handshake of a WebSocket connection.
///
/// Interim answers other than 101 are passed over.
public struct HTTP1ResponseHeadParser: Sendable {
    private static let beginning = Array("HTTP/1.".utf8)

    private let limits: HTTP1Limits
    private var bytes: [UInt8] = []
    /// Where the field lines begin, once the status line is there.
    private var fieldStart = 0
    private var status = 0
    private var checker = HTTP1LineChecker.field(after: 0)
    private var failure: HTTP1ResponseHeadError?

    /// Makes a parser.
    ///
    /// - Parameter limits: What a head may measure.
    public init(limits: HTTP1Limits = .init()) {
        self.limits = limits
    }

    /// Takes bytes from the front of a buffer.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes of the connection, lent for the time of the call.
    ///   - consumed: Set to the number of bytes taken; what follows a complete head is left alone.
    /// - Returns: The head when it is complete, nil when more bytes are needed.
    /// - Throws: ``HTTP1ResponseHeadError``, and again at each further call.
    public mutating func parse(
        _ bytes: UnsafeRawBufferPointer,
        consumed: inout Int
    ) throws(HTTP1ResponseHeadError) -> HTTPResponseHead? {
        consumed = 0
        if let failure = self.failure { throw failure }
        do throws(HTTP1ResponseHeadError) {
            while consumed < bytes.count {
                guard self.bytes.count < self.limits.headBytes else { throw Self.malformed("The head is too large.") }
                let byte = bytes[consumed]
                consumed += 1
                self.bytes.append(byte)
                guard self.fieldStart > 0 else {
                    try self.advanceStatusLine(byte)
                    continue
                }
                guard try self.endsFields(byte) else { continue }
                if let head = try self.finish() { return head }
            }
            return nil
        } catch {
            self.failure = error
            throw error
        }
    }

    private static func malformed(_ message: String) -> HTTP1ResponseHeadError {
        HTTP1ResponseHeadError(message: message)
    }

    /// Checks the line as far as it has come: `HTTP/1.1 101 Switching Protocols`.
    private mutating func advanceStatusLine(_ byte: UInt8) throws(HTTP1ResponseHeadError) {
        let error = Self.malformed("The answer does not begin with an HTTP/1 status line.")
        let index = self.bytes.count - 1
        switch index {
        case ..<7:
            guard byte == Self.beginning[index] else { throw error }
        case 7, 9...11:
            guard ASCII.isDigit(byte) else { throw error }
        case 8:
            guard byte == ASCII.space else { throw error }
        case 12:
            // The space in front of an empty reason is often left out.
            guard byte == ASCII.space || byte == ASCII.carriageReturn else { throw error }
        default:
            let endedBefore = self.bytes[index - 1] == ASCII.carriageReturn
            guard
                endedBefore ? byte == ASCII.lineFeed : HTTPToken.isFieldValueByte(byte) || byte == ASCII.carriageReturn
            else { throw error }
            guard endedBefore else { return }
            self.status = self.bytes[9...11].reduce(0) { $0 * 10 + Int($1 - 0x30) }
            guard (100...599).contains(self.status) else { throw Self.malformed("The status is out of range.") }
            self.fieldStart = self.bytes.count
        }
    }

    private mutating func endsFields(_ byte: UInt8) throws(HTTP1ResponseHeadError) -> Bool {
        do throws(HTTPRejection) {
            if case .emptyLine = try self.checker.advance(byte, limits: self.limits) { return true }
            return false
        } catch {
            throw Self.malformed(error.message)
        }
    }

    /// Makes the head, or passes over it when it is an interim one.
    private mutating func finish() throws(HTTP1ResponseHeadError) -> HTTPResponseHead? {
        let bytes = self.bytes
        let status = self.status
        let start = self.fieldStart
        self = HTTP1ResponseHeadParser(limits: self.limits)
        guard status >= 200 || status == 101 else { return nil }
        var scanner = HTTP1HeadScanner(hasRequestLine: true)
        bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            var next = start
            while case .complete(let following) = scanner.scanLine(
                base,
                from: next,
                count: buffer.count,
                limits: self.limits
            ) {
                next = following
            }
        }
        let fields = HTTPFields(storage: bytes, entries: scanner.entries)
        return HTTPResponseHead(status: status, fields: fields, framing: try Self.framing(status, fields))
    }

    private static func framing(
        _ status: Int,
        _ fields: HTTPFields
    ) throws(HTTP1ResponseHeadError) -> HTTPRequestHead.Framing? {
        if status == 101 || status == 204 || status == 304 { return HTTPRequestHead.Framing.none }
        if fields.contains(.transferEncoding) {
            guard fields.values(of: .transferEncoding).map({ $0.lowercased() }) == ["chunked"],
                !fields.contains(.contentLength)
            else { throw self.malformed("The answer's framing is unclear.") }
            return .chunked
        }
        let lengths = fields.values(of: .contentLength)
        guard let first = lengths.first else { return nil }
        guard lengths.count == 1, first.utf8.allSatisfy(ASCII.isDigit), let length = Int(first) else {
            throw self.malformed("The answer's Content-Length is not a single decimal number.")
        }
        return .length(length)
    }
}
