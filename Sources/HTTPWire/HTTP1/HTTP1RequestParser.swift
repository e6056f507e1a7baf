/// An incremental parser of request heads (RFC 9112, sections 2 to 6, 9).
///
/// It refuses everything outside the grammar and everything whose framing another reader could see differently, and it
/// does so at the first byte that shows it. A head that lies whole in the lent bytes is copied once, into the storage of
/// its fields. After an error the parser stays in it: the connection is to be closed.
public struct HTTP1RequestParser: Sendable {
    private let limits: HTTP1Limits
    /// The bytes of a head that came in pieces; empty while none has begun.
    private var pending: [UInt8] = []
    private var scanner = HTTP1HeadScanner()
    /// The first line of `pending`, once it is there.
    private var requestLine: HTTP1HeadReader.RequestLine?
    private var checker = HTTP1LineChecker.requestLine
    /// Where the unfinished line begins in `pending`.
    private var lineStart = 0
    private var emptyLines = 0
    private var expectsLineFeed = false
    private var rejection: HTTPRejection?

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
    /// - Throws: The answer to give before the connection is closed.
    public mutating func parse(
        _ bytes: UnsafeRawBufferPointer,
        consumed: inout Int
    ) throws(HTTPRejection) -> HTTPRequestHead? {
        consumed = 0
        if let rejection = self.rejection { throw rejection }
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return nil }
        let base = start.assumingMemoryBound(to: UInt8.self)
        do throws(HTTPRejection) {
            let head: HTTPRequestHead?
            if self.pending.isEmpty {
                let skipped = try self.skipEmptyLines(base, count: bytes.count)
                consumed = skipped
                guard skipped < bytes.count else { return nil }
                head = try self.parseInPlace(base + skipped, count: bytes.count - skipped, consumed: &consumed)
            } else {
                head = try self.parsePieces(base, count: bytes.count, consumed: &consumed)
            }
            if head != nil { self.emptyLines = 0 }
            return head
        } catch {
            self.rejection = error
            throw error
        }
    }

    private mutating func skipEmptyLines(_ base: UnsafePointer<UInt8>, count: Int) throws(HTTPRejection) -> Int {
        var index = 0
        while index < count {
            if self.expectsLineFeed {
                guard base[index] == ASCII.lineFeed else { throw .bareCarriageReturn }
                self.expectsLineFeed = false
            } else if base[index] == ASCII.carriageReturn {
                guard self.emptyLines < self.limits.leadingEmptyLines else {
                    throw .malformed("Too many empty lines stand before the request line.")
                }
                self.emptyLines += 1
                self.expectsLineFeed = true
            } else {
                break
            }
            index += 1
        }
        return index
    }

    /// Parses a head from its first byte, without copying it unless it turns out to be incomplete.
    private mutating func parseInPlace(
        _ base: UnsafePointer<UInt8>,
        count: Int,
        consumed: inout Int
    ) throws(HTTPRejection) -> HTTPRequestHead? {
        var scanner = HTTP1HeadScanner()
        var requestLine: HTTP1HeadReader.RequestLine?
        let window = min(count, self.limits.headBytes)
        var lineStart = 0
        while true {
            switch scanner.scanLine(base, from: lineStart, count: window, limits: self.limits) {
            case .complete(let next):
                if requestLine == nil { requestLine = try HTTP1HeadReader.requestLine(base, scanner) }
                lineStart = next
            case .end(let end):
                consumed += end
                guard let requestLine else { throw .malformedRequestLine }
                let storage = [UInt8](UnsafeBufferPointer(start: base, count: end))
                return try HTTP1HeadReader.head(base, scanner, requestLine, storage: storage, limits: self.limits)
            case .partial where window == count:
                self.checker = Self.checker(before: lineStart, scanner)
                for index in lineStart..<count {
                    _ = try self.checker.advance(base[index], limits: self.limits)
                }
                self.scanner = scanner
                self.requestLine = requestLine
                self.lineStart = lineStart
                self.pending.append(contentsOf: UnsafeBufferPointer(start: base, count: count))
                consumed += count
                return nil
            case .partial, .refused:
                var checker = Self.checker(before: lineStart, scanner)
                for index in lineStart..<window {
                    _ = try checker.advance(base[index], limits: self.limits)
                }
                throw window < count ? .headTooLarge : .malformedRequestLine
            }
        }
    }

    /// Parses the next piece of a head whose beginning was kept.
    private mutating func parsePieces(
        _ base: UnsafePointer<UInt8>,
        count: Int,
        consumed: inout Int
    ) throws(HTTPRejection) -> HTTPRequestHead? {
        var copied = 0
        var index = 0
        while index < count {
            guard self.pending.count + index - copied < self.limits.headBytes else { throw .headTooLarge }
            let progress = try self.checker.advance(base[index], limits: self.limits)
            index += 1
            if case .inside = progress { continue }
            self.pending.append(contentsOf: UnsafeBufferPointer(start: base + copied, count: index - copied))
            copied = index
            if let head = try self.finishLine() {
                consumed = index
                return head
            }
        }
        self.pending.append(contentsOf: UnsafeBufferPointer(start: base + copied, count: count - copied))
        consumed = count
        return nil
    }

    /// Scans the line that the checker has seen to its end, and makes the head when it was the empty one.
    private mutating func finishLine() throws(HTTPRejection) -> HTTPRequestHead? {
        let storage = self.pending
        return try storage.withUnsafeBufferPointer { (bytes) throws(HTTPRejection) -> HTTPRequestHead? in
            guard let base = bytes.baseAddress else { return nil }
            switch self.scanner.scanLine(base, from: self.lineStart, count: bytes.count, limits: self.limits) {
            case .complete(let next):
                if self.requestLine == nil { self.requestLine = try HTTP1HeadReader.requestLine(base, self.scanner) }
                self.lineStart = next
                return nil
            case .end:
                guard let requestLine = self.requestLine else { throw .malformedRequestLine }
                let scanner = self.scanner
                self.reset()
                return try HTTP1HeadReader.head(base, scanner, requestLine, storage: storage, limits: self.limits)
            case .partial, .refused:
                throw .malformedRequestLine
            }
        }
    }

    private mutating func reset() {
        self.pending = []
        self.scanner = HTTP1HeadScanner()
        self.requestLine = nil
        self.checker = .requestLine
        self.lineStart = 0
    }

    private static func checker(before lineStart: Int, _ scanner: HTTP1HeadScanner) -> HTTP1LineChecker {
        lineStart == 0 ? .requestLine : .field(after: scanner.entries.count)
    }
}
