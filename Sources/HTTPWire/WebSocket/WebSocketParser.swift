/// What a WebSocket parser has found.
public enum WebSocketEvent {
    /// The next bytes of a message, unmasked, lent until the parser goes on; none only where they end it.
    case data(WebSocketMessage.Kind, UnsafeRawBufferPointer, endsMessage: Bool)
    /// A ping, to be answered with a pong of the same bytes.
    case ping([UInt8])
    /// A pong.
    case pong([UInt8])
    /// The other end closes; what follows is thrown away.
    case close(WebSocketClose)
}

/// An incremental parser of frames (RFC 6455, section 5), with no extension.
///
/// Content is unmasked where it lies and handed on as it comes; only a control frame, of 125 bytes at most, is kept until
/// it is whole. Whatever breaks the protocol is refused at the byte that shows it: a length before its content, a text at
/// the first byte that no UTF-8 continues with. After an error the parser stays in it.
public struct WebSocketParser: Sendable {
    private enum State: UInt8 {
        case opcode, length, extendedLength, maskingKey, payload
        case closed
    }

    private let role: WebSocketRole
    private let limits: WebSocketLimits
    private var state = State.opcode
    private var opcode = WebSocketOpcode.continuation
    private var isFinal = false
    /// Bytes of the extended length, or of the masking key, still to come.
    private var headBytesLeft: UInt8 = 0
    private var hasWideLength = false
    /// The length as far as it is read, and then how much of the content is still to come.
    private var left = 0
    private var key = WebSocketMaskingKey()
    /// The message that has begun.
    private var message: WebSocketMessage.Kind?
    private var messageBytes = 0
    private var utf8 = UTF8Validator()
    private var control: [UInt8] = []
    private var failure: WebSocketError?

    /// Makes a parser.
    ///
    /// - Parameters:
    ///   - role: Which end this is: a server's parser reads what a client sends.
    ///   - limits: What the other end may send.
    public init(role: WebSocketRole, limits: WebSocketLimits = .init()) {
        self.role = role
        self.limits = limits
    }

    /// Whether a close frame was read.
    public var isClosed: Bool { self.state == .closed }

    /// Finds what comes next in bytes; to be called until it finds nothing.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes of the connection, lent for the time of the call, unmasked in place.
    ///   - position: Where to go on in them: 0 at first, moved on by each call.
    /// - Returns: What was found, or nil when all bytes are used up.
    /// - Throws: ``WebSocketError``: the connection is to be closed with its code.
    public mutating func next(
        in bytes: UnsafeMutableRawBufferPointer,
        at position: inout Int
    ) throws(WebSocketError) -> WebSocketEvent? {
        if let failure = self.failure { throw failure }
        do throws(WebSocketError) {
            while position < bytes.count {
                switch self.state {
                case .closed:
                    position = bytes.count
                case .payload:
                    if let event = try self.takePayload(bytes, &position) { return event }
                default:
                    let byte = bytes[position]
                    position += 1
                    try self.advanceHead(byte)
                    // A frame without content has no byte that could end it.
                    if self.state == .payload, self.left == 0, let event = try self.takePayload(bytes, &position) {
                        return event
                    }
                }
            }
            return nil
        } catch {
            self.failure = error
            throw error
        }
    }

    // MARK: The head of a frame (section 5.2)

    private mutating func advanceHead(_ byte: UInt8) throws(WebSocketError) {
        switch self.state {
        case .opcode: try self.takeOpcode(byte)
        case .length: try self.takeLength(byte)
        case .extendedLength: try self.takeExtendedLength(byte)
        case .maskingKey:
            self.key.take(byte)
            self.headBytesLeft -= 1
            if self.headBytesLeft == 0 { self.state = .payload }
        case .payload, .closed: break
        }
    }

    private mutating func takeOpcode(_ byte: UInt8) throws(WebSocketError) {
        guard byte & 0x70 == 0 else { throw .reservedBits }
        guard let opcode = WebSocketOpcode(rawValue: byte & 0x0F) else { throw .unknownOpcode }
        self.opcode = opcode
        self.isFinal = byte & 0x80 != 0
        switch opcode {
        case .continuation:
            guard self.message != nil else { throw .unexpectedContinuation }
        case .text, .binary:
            guard self.message == nil else { throw .interruptedMessage }
            self.message = opcode == .text ? .text : .binary
            self.messageBytes = 0
        case .close, .ping, .pong:
            guard self.isFinal else { throw .fragmentedControl }
        }
        self.state = .length
    }

    private mutating func takeLength(_ byte: UInt8) throws(WebSocketError) {
        switch (self.role, byte & 0x80 != 0) {
        case (.server, false): throw .unmaskedFrame
        case (.client, true): throw .maskedFrame
        case (.server, true), (.client, false): break
        }
        let length = byte & 0x7F
        guard length > 125 else {
            self.left = Int(length)
            try self.endLength()
            return
        }
        guard !self.opcode.isControl else { throw .controlTooLong }
        self.hasWideLength = length == 127
        self.headBytesLeft = self.hasWideLength ? 8 : 2
        self.left = 0
        self.state = .extendedLength
    }

    private mutating func takeExtendedLength(_ byte: UInt8) throws(WebSocketError) {
        if self.hasWideLength, self.headBytesLeft == 8, byte & 0x80 != 0 { throw .lengthOutOfRange }
        self.left = self.left << 8 | Int(byte)
        self.headBytesLeft -= 1
        guard self.headBytesLeft == 0 else { return }
        guard self.left > (self.hasWideLength ? 0xFFFF : 125) else { throw .lengthNotMinimal }
        try self.endLength()
    }

    private mutating func endLength() throws(WebSocketError) {
        if !self.opcode.isControl {
            guard self.left <= self.limits.frameBytes else { throw .frameTooLarge }
            guard self.left <= self.limits.messageBytes - self.messageBytes else { throw .messageTooLarge }
            self.messageBytes += self.left
        }
        self.headBytesLeft = 4
        self.state = self.role == .server ? .maskingKey : .payload
    }

    // MARK: Content

    private mutating func takePayload(
        _ bytes: UnsafeMutableRawBufferPointer,
        _ position: inout Int
    ) throws(WebSocketError) -> WebSocketEvent? {
        let count = min(self.left, bytes.count - position)
        let piece = UnsafeMutableRawBufferPointer(rebasing: bytes[position..<position + count])
        position += count
        self.left -= count
        if self.role == .server { self.key.apply(to: piece) }
        let endsFrame = self.left == 0
        if endsFrame { self.state = .opcode }
        guard self.opcode.isControl else {
            return try self.takeData(UnsafeRawBufferPointer(piece), endsMessage: endsFrame && self.isFinal)
        }
        self.control.append(contentsOf: piece)
        return endsFrame ? try self.endControl() : nil
    }

    private mutating func takeData(
        _ piece: UnsafeRawBufferPointer,
        endsMessage: Bool
    ) throws(WebSocketError) -> WebSocketEvent? {
        guard let kind = self.message else { return nil }
        if kind == .text {
            let valid = self.utf8.accept(piece)
            if valid < piece.count || endsMessage && !self.utf8.isComplete {
                // What is right is handed on first, so that it does not depend on the cuts what was.
                guard valid > 0 else { throw .invalidUTF8 }
                self.failure = .invalidUTF8
                return .data(kind, UnsafeRawBufferPointer(rebasing: piece[..<valid]), endsMessage: false)
            }
        }
        guard endsMessage || !piece.isEmpty else { return nil }
        if endsMessage { self.message = nil }
        return .data(kind, piece, endsMessage: endsMessage)
    }

    private mutating func endControl() throws(WebSocketError) -> WebSocketEvent {
        let payload = self.control
        self.control = []
        switch self.opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong(payload)
        default:
            let close = try WebSocketClose(parsing: payload)
            self.state = .closed
            return .close(close)
        }
    }
}
