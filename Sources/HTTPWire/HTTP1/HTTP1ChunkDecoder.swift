/// The chunked transfer coding (RFC 9112, section 7.1).
struct HTTP1ChunkDecoder: Sendable {
    private enum State: UInt8 {
        case sizeStart, size
        // A blank may stand around ";" and "=" (BWS), but nothing else may follow it.
        case blankBeforeExtension, extensionNameStart, extensionName, blankBehindName
        case valueStart, value, quoted, quotedPair, quotedEnd, blankBehindValue
        case restOfLine, sizeLineFeed, data, dataCarriageReturn, dataLineFeed, trailer
    }

    private var state = State.sizeStart
    /// How much of the chunk is still to come.
    private(set) var rest = 0
    private var received = 0
    private var lineLength = 0
    private var overhead = 0
    private var trailerLength = 0
    private var trailerChecker = HTTP1LineChecker.field(after: 0)

    /// Takes bytes; see ``HTTP1BodyDecoder/decode(_:consumed:emit:)``.
    mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        consumed: inout Int,
        limits: HTTP1Limits,
        emit: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        var index = 0
        defer { consumed = index }
        while index < bytes.count {
            switch self.state {
            case .data:
                let count = min(self.rest, bytes.count - index)
                let piece = UnsafeRawBufferPointer(rebasing: bytes[index..<index + count])
                index += count
                self.rest -= count
                self.received += count
                if self.rest == 0 { self.state = .dataCarriageReturn }
                try emit(piece)
            case .trailer:
                let byte = bytes[index]
                index += 1
                if try self.advanceTrailer(byte, limits) { return true }
            case .dataCarriageReturn:
                if limits.bearsLooseChunks, bytes[index] == ASCII.lineFeed {
                    self.state = .dataLineFeed
                    continue
                }
                guard bytes[index] == ASCII.carriageReturn else { throw Self.noLineEnd }
                index += 1
                self.state = .dataLineFeed
            case .dataLineFeed:
                guard bytes[index] == ASCII.lineFeed else { throw Self.noLineEnd }
                index += 1
                self.state = .sizeStart
                self.lineLength = 0
            default:
                let byte = bytes[index]
                index += 1
                try self.advanceLine(byte, limits)
            }
        }
        return false
    }

    // MARK: The line that opens a chunk

    private mutating func advanceLine(_ byte: UInt8, _ limits: HTTP1Limits) throws(HTTPRequestBodyError) {
        self.lineLength += 1
        guard self.lineLength <= limits.chunkLine else { throw .malformed("The line that opens a chunk is too long.") }
        switch self.state {
        case .sizeStart, .size: try self.advanceSize(byte, limits)
        case .restOfLine:
            if byte == ASCII.lineFeed { self.state = self.rest == 0 ? .trailer : .data }
        case .sizeLineFeed:
            guard byte == ASCII.lineFeed else { throw .malformed("A CR is not followed by LF.") }
            self.state = self.rest == 0 ? .trailer : .data
        default:
            self.overhead += 1
            guard self.overhead <= limits.chunkOverhead + self.received else {
                throw .malformed("The chunk extensions outweigh the content.")
            }
            try self.advanceExtension(byte)
        }
    }

    private mutating func advanceSize(_ byte: UInt8, _ limits: HTTP1Limits) throws(HTTPRequestBodyError) {
        if let digit = ASCII.hexValue(byte) {
            if self.state == .size, self.rest == 0 {
                self.overhead += 1
                guard self.overhead <= limits.chunkOverhead + self.received else {
                    throw .malformed("The leading zeros of chunk sizes outweigh the content.")
                }
            }
            let (shifted, overflow) = self.rest.multipliedReportingOverflow(by: 16)
            guard !overflow, shifted <= limits.contentBytes - self.received - Int(digit) else { throw .tooLarge }
            self.rest = shifted + Int(digit)
            self.state = .size
            return
        }
        guard self.state == .size else { throw Self.noSize }
        if limits.bearsLooseChunks {
            self.state = byte == ASCII.lineFeed ? (self.rest == 0 ? .trailer : .data) : .restOfLine
            return
        }
        switch byte {
        case ASCII.carriageReturn: self.state = .sizeLineFeed
        case ASCII.semicolon: self.state = .extensionNameStart
        case ASCII.space, ASCII.tab: self.state = .blankBeforeExtension
        default: throw Self.noSize
        }
    }

    private mutating func advanceExtension(_ byte: UInt8) throws(HTTPRequestBodyError) {
        let isBlank = ASCII.isBlank(byte)
        let isToken = ByteSet.token.contains(byte)
        switch self.state {
        case .blankBeforeExtension where byte == ASCII.semicolon: self.state = .extensionNameStart
        case .blankBeforeExtension where isBlank: break
        case .extensionNameStart where isBlank: break
        case .extensionNameStart where isToken: self.state = .extensionName
        case .extensionName where isToken: break
        case .extensionName where isBlank: self.state = .blankBehindName
        case .blankBehindName where isBlank: break
        case .extensionName, .blankBehindName:
            switch byte {
            case ASCII.equals: self.state = .valueStart
            case ASCII.semicolon: self.state = .extensionNameStart
            case ASCII.carriageReturn where self.state == .extensionName: self.state = .sizeLineFeed
            default: throw Self.badExtension
            }
        case .valueStart where isBlank: break
        case .valueStart where isToken: self.state = .value
        case .valueStart where byte == ASCII.quote: self.state = .quoted
        case .value where isToken: break
        case .value, .quotedEnd, .blankBehindValue:
            switch byte {
            case ASCII.semicolon: self.state = .extensionNameStart
            case ASCII.space, ASCII.tab: self.state = .blankBehindValue
            case ASCII.carriageReturn where self.state != .blankBehindValue: self.state = .sizeLineFeed
            default: throw Self.badExtension
            }
        case .quoted where byte == ASCII.quote: self.state = .quotedEnd
        case .quoted where byte == ASCII.backslash: self.state = .quotedPair
        case .quoted where HTTPToken.isFieldValueByte(byte): break
        case .quotedPair where HTTPToken.isFieldValueByte(byte): self.state = .quoted
        default: throw Self.badExtension
        }
    }

    // MARK: Trailer section (section 7.1.2)

    private mutating func advanceTrailer(_ byte: UInt8, _ limits: HTTP1Limits) throws(HTTPRequestBodyError) -> Bool {
        self.trailerLength += 1
        guard self.trailerLength <= limits.trailerBytes else {
            throw .malformed("The trailer section is too large.")
        }
        do throws(HTTPRejection) {
            if case .emptyLine = try self.trailerChecker.advance(byte, limits: limits) { return true }
            return false
        } catch {
            throw .malformed(error.message)
        }
    }

    private static var noSize: HTTPRequestBodyError { .malformed("A chunk does not begin with a hexadecimal size.") }
    private static var noLineEnd: HTTPRequestBodyError {
        .malformed("The content of a chunk is not followed by CRLF.")
    }
    private static var badExtension: HTTPRequestBodyError { .malformed("A chunk extension is malformed.") }
}
