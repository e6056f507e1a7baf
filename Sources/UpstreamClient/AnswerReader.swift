private import Glibc
internal import HTTPWire

/// Reads one answer from the bytes of a connection (RFC 9112, sections 4 to 7).
///
/// Bytes go in; no socket, no clock.
struct AnswerReader {
    /// Why there is no valid answer; the text says it.
    enum Fault: Error, Equatable {
        case malformed(String)
        case tooLarge(String)
    }

    /// The head of the answer.
    private(set) var head: ResponseHead
    /// Whether all of the answer has been read.
    private(set) var isComplete = false
    /// Whether any byte has been read.
    var hasBegun: Bool { self.head.byteCount > 0 || !self.line.isEmpty }

    private let maximumHead: Int
    private let maximumContent: Int
    private var contentCount = 0
    /// The beginning of a line of the head whose end has not come.
    private var line: [UInt8] = []
    private var decoder: HTTP1BodyDecoder?

    /// Begins with nothing read.
    ///
    /// - Parameters:
    ///   - isAnswerToHead: Whether there is no content whatever the fields say. The default is false.
    ///   - maySwitch: Whether the request asked for another protocol, which begins behind an answer of 101. The
    ///     default is false.
    ///   - maximumHead: The largest head in bytes, interim answers included; and so for the trailers.
    ///   - maximumContent: The largest content in bytes.
    init(isAnswerToHead: Bool = false, maySwitch: Bool = false, maximumHead: Int, maximumContent: Int) {
        self.head = ResponseHead(limit: maximumHead, isAnswerToHead: isAnswerToHead, maySwitch: maySwitch)
        self.maximumHead = maximumHead
        self.maximumContent = maximumContent
    }

    /// The size of the content in bytes, when the head tells it; at most the limit.
    var announcedContent: Int? {
        guard self.head.isFinished, case .length(let length) = self.head.framing else { return nil }
        return length
    }

    /// Takes the next bytes of the connection as far as the head goes; without effect behind it.
    ///
    /// - Returns: How many of the bytes were taken: all of them while the head is not finished.
    /// - Throws: What is wrong with the answer, which is then over.
    mutating func takeHead(_ bytes: UnsafeRawBufferPointer) throws(Fault) -> Int {
        var used = 0
        while !self.head.isFinished {
            guard let end = Self.lineEnd(in: bytes, from: used) else {
                try self.keep(bytes[used...])
                return bytes.count
            }
            try self.takeLine(bytes[used..<end])
            used = end
        }
        return used
    }

    /// Takes the next bytes of the connection behind the head as far as the answer goes.
    ///
    /// - Parameter emit: Called with each piece of content; the pieces lie inside `bytes`.
    /// - Returns: How many of the bytes were taken: all of them while the answer is not complete.
    /// - Throws: What is wrong with the answer, which is then over.
    mutating func takeContent(
        _ bytes: UnsafeRawBufferPointer,
        emit: (UnsafeRawBufferPointer) -> Void
    ) throws(Fault) -> Int {
        guard self.decoder != nil || self.isComplete else {
            guard !bytes.isEmpty else { return 0 }
            self.contentCount += bytes.count
            guard self.contentCount <= self.maximumContent else { throw self.contentTooLarge }
            emit(bytes)
            return bytes.count
        }
        var used = 0
        do {
            while used < bytes.count, !self.isComplete {
                var consumed = 0
                let rest = UnsafeRawBufferPointer(rebasing: bytes[used...])
                self.isComplete = try self.decoder?.decode(rest, consumed: &consumed, emit: emit) ?? true
                used += consumed
            }
        } catch HTTPRequestBodyError.tooLarge {
            throw self.contentTooLarge
        } catch {
            throw .malformed("the chunks of the answer are malformed")
        }
        return used
    }

    /// Whether an answer that the end of its connection delimits is complete now that it came.
    ///
    /// - Parameter isOrderly: Whether the other side has said so; else the connection may have been cut.
    mutating func end(isOrderly: Bool) -> Bool {
        if self.head.isFinished, self.head.framing == .close, isOrderly { self.isComplete = true }
        return self.isComplete
    }

    // MARK: - Head

    private static func lineEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, 0x0A, bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base + 1
    }

    private mutating func keep(_ bytes: Slice<UnsafeRawBufferPointer>) throws(Fault) {
        guard self.head.byteCount + self.line.count + bytes.count <= self.maximumHead else { throw Self.headTooLarge }
        self.line.append(contentsOf: bytes)
    }

    private static let headTooLarge = Fault.tooLarge("the head of the answer is too large")

    private mutating func takeLine(_ bytes: Slice<UnsafeRawBufferPointer>) throws(Fault) {
        let fault: ResponseHead.Fault?
        if self.line.isEmpty {
            fault = self.head.take(UnsafeRawBufferPointer(rebasing: bytes))
        } else {
            try self.keep(bytes)
            let line = self.line
            self.line = []
            fault = line.withUnsafeBytes { self.head.take($0) }
        }
        switch fault {
        case .malformed(let what)?: throw .malformed("\(what)")
        case .tooLarge?: throw Self.headTooLarge
        case nil: break
        }
        if self.head.isFinished { try self.beginContent() }
    }

    // MARK: - Content

    private var contentTooLarge: Fault { .tooLarge("the answer is larger than \(self.maximumContent) bytes") }

    private mutating func beginContent() throws(Fault) {
        switch self.head.framing {
        case .none: self.isComplete = true
        case .length(let length):
            guard length <= self.maximumContent else { throw self.contentTooLarge }
            self.isComplete = length == 0
            self.decoder = HTTP1BodyDecoder(framing: .length(length))
        case .chunked:
            var limits = HTTP1Limits()
            limits.contentBytes = self.maximumContent
            limits.trailerBytes = self.maximumHead
            limits.fieldCount = ResponseHead.maximumFields
            limits.bearsLooseChunks = true
            self.decoder = HTTP1BodyDecoder(framing: .chunked, limits: limits)
        case .close: break
        }
    }
}
