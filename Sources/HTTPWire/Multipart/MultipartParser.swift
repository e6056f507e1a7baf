private import Glibc

/// What a multipart parser has found.
public enum MultipartEvent {
    /// A part begins.
    case partBegan(MultipartPartHead)
    /// The next bytes of the part, lent for the time of the call; never empty.
    case partBytes(UnsafeRawBufferPointer)
    /// The part is complete.
    case partEnded
}

/// An incremental parser of multipart/form-data (RFC 7578; RFC 2046, section 5.1).
///
/// It copies no content: pieces are handed on as they lie in the lent bytes. A boundary ends a part wherever it follows
/// CRLF and two hyphens; what follows it must then be a line end or the closing hyphens, as a part that holds its own
/// boundary would be read differently elsewhere. What repeated names mean is the consumer's business.
public struct MultipartParser: Sendable {
    private enum State: UInt8 {
        case preamble, content
        case delimiterEnd, closingHyphen, partLineFeed
        case partHead
        case closingEnd, closingLineFeed, epilogue
    }

    private let limits: MultipartLimits
    private let fieldLimits: HTTP1Limits
    /// CRLF, two hyphens and the boundary.
    ///
    /// CR stands only at its beginning, so that a failed match can only begin anew
    /// at the byte that failed.
    private let delimiter: [UInt8]
    private var state = State.preamble
    /// How many bytes of the delimiter the last bytes were.
    private var matched = 2
    /// How many of those do not belong to the content: the beginning of the body and the end of a part's head serve as
    /// the line end of a delimiter.
    private var borrowed = 2
    private var partHead: [UInt8] = []
    private var checker = HTTP1LineChecker.field(after: 0)
    private var partCount = 0
    private var paddingCount = 0
    private var strayCount = 0
    private var failure: MultipartError?

    /// Makes a parser.
    ///
    /// - Parameters:
    ///   - boundary: A valid boundary, for instance from ``boundary(ofContentType:)``.
    ///   - limits: What the content may measure.
    public init(boundary: String, limits: MultipartLimits = .init()) {
        precondition(Self.isValidBoundary(boundary), "the boundary was not checked")
        self.limits = limits
        self.delimiter = Array(("\r\n--" + boundary).utf8)
        var fieldLimits = HTTP1Limits()
        fieldLimits.headBytes = limits.partHeadBytes
        fieldLimits.fieldCount = limits.fieldCount
        self.fieldLimits = fieldLimits
    }

    /// The boundary that a Content-Type names.
    ///
    /// - Throws: `notFormData` when it is another media type or none, `invalidBoundary` when the boundary is missing or
    ///   not allowed.
    public static func boundary(ofContentType value: String) throws(MultipartError) -> String {
        let essence = value.utf8.prefix { $0 != ASCII.semicolon && !ASCII.isBlank($0) }
        guard HTTPToken.equals(essence, "multipart/form-data") else { throw .notFormData }
        guard let boundary = MediaType(value)?["boundary"], self.isValidBoundary(boundary) else {
            throw .invalidBoundary
        }
        return boundary
    }

    /// Whether a text may be a boundary: 1 to 70 bchars, the last one no space (RFC 2046, section 5.1.1).
    public static func isValidBoundary(_ boundary: String) -> Bool {
        (1...70).contains(boundary.utf8.count) && boundary.utf8.last != ASCII.space
            && boundary.utf8.allSatisfy(ByteSet.boundary.contains)
    }

    /// Whether the closing delimiter has been read.
    public var isComplete: Bool {
        switch self.state {
        case .closingEnd, .closingLineFeed, .epilogue: true
        default: false
        }
    }

    /// Takes the next bytes of the content, all of them.
    ///
    /// - Parameters:
    ///   - bytes: Lent for the time of the call.
    ///   - handle: Called with what was found; the parser is of no more use when it throws.
    /// - Throws: ``MultipartError``, or what `handle` threw.
    public mutating func parse(
        _ bytes: UnsafeRawBufferPointer,
        handle: (MultipartEvent) throws -> Void
    ) throws {
        if let failure = self.failure { throw failure }
        guard let start = bytes.baseAddress else { return }
        let base = start.assumingMemoryBound(to: UInt8.self)
        do {
            var index = 0
            while index < bytes.count {
                switch self.state {
                case .preamble, .content:
                    index = try self.findDelimiter(base, from: index, count: bytes.count, handle: handle)
                case .partHead:
                    index = try self.parseHead(base, from: index, count: bytes.count, handle: handle)
                case .epilogue:
                    try self.countStray(bytes.count - index, limit: self.limits.epilogueBytes)
                    index = bytes.count
                default:
                    try self.advanceDelimiterLine(base[index])
                    index += 1
                }
            }
        } catch {
            self.failure = error as? MultipartError
            throw error
        }
    }

    /// Says that the content has ended.
    ///
    /// - Throws: `truncated` or `boundaryNotFound` when the closing delimiter was not read, or the error that parsing
    ///   met before.
    public mutating func finish() throws(MultipartError) {
        if let failure = self.failure { throw failure }
        guard !self.isComplete else { return }
        let failure: MultipartError = self.state == .preamble ? .boundaryNotFound : .truncated
        self.failure = failure
        throw failure
    }

    // MARK: Content

    private mutating func findDelimiter(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        count: Int,
        handle: (MultipartEvent) throws -> Void
    ) throws -> Int {
        let delimiter = self.delimiter
        var index = start
        if self.matched > 0 {
            while index < count, self.matched < delimiter.count, base[index] == delimiter[self.matched] {
                index += 1
                self.matched += 1
            }
            if self.matched == delimiter.count {
                try self.endContent(handle)
                return index
            }
            guard index < count else { return index }
            let held = self.borrowed..<self.matched
            self.matched = 0
            self.borrowed = 0
            if !held.isEmpty {
                try delimiter.withUnsafeBytes { bytes in
                    try self.pass(UnsafeRawBufferPointer(rebasing: bytes[held]), handle)
                }
            }
        }
        let contentStart = index
        var isDense = true
        while true {
            guard let candidate = Self.carriageReturn(base, from: index, count: count, isDense: isDense) else {
                try self.pass(UnsafeRawBufferPointer(start: base + contentStart, count: count - contentStart), handle)
                return count
            }
            isDense = candidate < index + Self.dense
            var length = 1
            while candidate + length < count, length < delimiter.count, base[candidate + length] == delimiter[length] {
                length += 1
            }
            index = candidate + length
            if length == delimiter.count || index == count {
                let piece = UnsafeRawBufferPointer(start: base + contentStart, count: candidate - contentStart)
                self.matched = length
                try self.pass(piece, handle)
                if length == delimiter.count { try self.endContent(handle) }
                return index
            }
        }
    }

    /// Where carriage returns are closer together than this, looking byte by byte costs less than a call.
    private static let dense = 8

    /// The offset of the next CR.
    ///
    /// - Parameter isDense: Whether the last one was close by.
    private static func carriageReturn(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        count: Int,
        isDense: Bool
    ) -> Int? {
        var start = start
        if isDense {
            let nearEnd = min(start + Self.dense, count)
            for index in start..<nearEnd where base[index] == ASCII.carriageReturn { return index }
            start = nearEnd
        }
        guard start < count else { return nil }
        return memchr(base + start, Int32(ASCII.carriageReturn), count - start).map {
            UnsafeRawPointer(base).distance(to: UnsafeRawPointer($0))
        }
    }

    private mutating func pass(_ bytes: UnsafeRawBufferPointer, _ handle: (MultipartEvent) throws -> Void) throws {
        guard !bytes.isEmpty else { return }
        if self.state == .content {
            try handle(.partBytes(bytes))
        } else {
            try self.countStray(bytes.count, limit: self.limits.preambleBytes)
        }
    }

    private mutating func endContent(_ handle: (MultipartEvent) throws -> Void) throws {
        let isPart = self.state == .content
        self.state = .delimiterEnd
        self.paddingCount = 0
        if isPart { try handle(.partEnded) }
    }

    private mutating func countStray(_ count: Int, limit: Int) throws(MultipartError) {
        self.strayCount += count
        guard self.strayCount <= limit else { throw .strayBytes }
    }

    // MARK: Delimiter lines

    private mutating func advanceDelimiterLine(_ byte: UInt8) throws(MultipartError) {
        switch (self.state, byte) {
        case (.delimiterEnd, ASCII.carriageReturn): self.state = .partLineFeed
        case (.delimiterEnd, ASCII.hyphen) where self.paddingCount == 0: self.state = .closingHyphen
        case (.delimiterEnd, ASCII.space), (.delimiterEnd, ASCII.tab),
            (.closingEnd, ASCII.space), (.closingEnd, ASCII.tab):
            self.paddingCount += 1
            guard self.paddingCount <= self.limits.paddingBytes else { throw .malformedDelimiter }
        case (.closingHyphen, ASCII.hyphen):
            self.state = .closingEnd
            self.strayCount = 0
        case (.closingEnd, ASCII.carriageReturn): self.state = .closingLineFeed
        case (.closingLineFeed, ASCII.lineFeed): self.state = .epilogue
        case (.partLineFeed, ASCII.lineFeed):
            guard self.partCount < self.limits.partCount else { throw .tooManyParts }
            self.partCount += 1
            self.state = .partHead
            self.checker = .field(after: 0)
        default: throw .malformedDelimiter
        }
    }

    // MARK: Part heads

    private mutating func parseHead(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        count: Int,
        handle: (MultipartEvent) throws -> Void
    ) throws -> Int {
        if self.partHead.isEmpty, let (head, end) = try self.wholeHead(base + start, count: count - start) {
            self.enterContent()
            try handle(.partBegan(head))
            return start + end
        }
        var index = start
        var isEnd = false
        while index < count, !isEnd {
            guard self.partHead.count + index - start < self.limits.partHeadBytes else {
                throw MultipartError.partHeadTooLarge
            }
            do throws(HTTPRejection) {
                if case .emptyLine = try self.checker.advance(base[index], limits: self.fieldLimits) { isEnd = true }
            } catch {
                guard error != .tooManyFields else { throw MultipartError.partHeadTooLarge }
                throw MultipartError.malformedPartHead(error.message)
            }
            index += 1
        }
        self.partHead.append(contentsOf: UnsafeBufferPointer(start: base + start, count: index - start))
        guard isEnd else { return index }
        let head = try self.partHead.withUnsafeBufferPointer { bytes throws(MultipartError) in
            try bytes.baseAddress.flatMap { base throws(MultipartError) in
                try self.wholeHead(base, count: bytes.count)?.head
            }
        }
        guard let head else { throw MultipartError.malformedPartHead("it cannot be read.") }
        self.partHead.removeAll(keepingCapacity: true)
        self.enterContent()
        try handle(.partBegan(head))
        return index
    }

    private mutating func enterContent() {
        self.state = .content
        self.matched = 2
        self.borrowed = 2
    }

    /// The head if all of it is there and right; what else it is takes a closer look.
    private func wholeHead(
        _ base: UnsafePointer<UInt8>,
        count: Int
    ) throws(MultipartError) -> (head: MultipartPartHead, end: Int)? {
        var scanner = HTTP1HeadScanner(hasRequestLine: true)
        var index = 0
        let bound = min(count, self.limits.partHeadBytes)
        while true {
            switch scanner.scanLine(base, from: index, count: bound, limits: self.fieldLimits) {
            case .complete(let next): index = next
            case .partial, .refused: return nil
            case .end(let end):
                let bytes = Array(UnsafeBufferPointer(start: base, count: end))
                let fields = HTTPFields(storage: bytes, entries: scanner.entries)
                return (try MultipartPartHead(fields), end)
            }
        }
    }
}
