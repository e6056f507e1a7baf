/// How the other end of a connection broke the protocol.
public enum WebSocketError: String, Error, Hashable, Sendable, CaseIterable {
    /// A reserved bit is set, though no extension was agreed on.
    case reservedBits
    /// The opcode is none of the six.
    case unknownOpcode
    /// A frame continues a message, and none has begun.
    case unexpectedContinuation
    /// A message begins before the one in front of it has ended.
    case interruptedMessage
    /// A control frame is fragmented.
    case fragmentedControl
    /// A control frame holds more than 125 bytes.
    case controlTooLong
    /// A length is written longer than it need be.
    case lengthNotMinimal
    /// A length has its highest bit set.
    case lengthOutOfRange
    /// A client's frame is not masked.
    case unmaskedFrame
    /// A server's frame is masked.
    case maskedFrame
    /// A close frame holds one byte.
    case truncatedCloseCode
    /// A close frame has a code that may not be sent.
    case invalidCloseCode
    /// A text or a reason is no UTF-8.
    case invalidUTF8
    /// A frame is larger than the limit.
    case frameTooLarge
    /// A message is larger than the limit.
    case messageTooLarge

    /// The code to close the connection with (RFC 6455, section 7.4.1).
    public var closeCode: WebSocketCloseCode {
        switch self {
        case .invalidUTF8: .invalidPayload
        case .frameTooLarge, .messageTooLarge: .messageTooBig
        default: .protocolError
        }
    }

    /// What is wrong, in one sentence that fits into a close frame.
    public var message: String {
        switch self {
        case .reservedBits: "A reserved bit is set; no extension was agreed on."
        case .unknownOpcode: "The opcode is unknown."
        case .unexpectedContinuation: "A continuation frame came outside of a message."
        case .interruptedMessage: "A message began before the one in front of it had ended."
        case .fragmentedControl: "A control frame is fragmented."
        case .controlTooLong: "A control frame holds more than 125 bytes."
        case .lengthNotMinimal: "A frame's length is written longer than it need be."
        case .lengthOutOfRange: "A frame's length has its highest bit set."
        case .unmaskedFrame: "A client's frame must be masked."
        case .maskedFrame: "A server's frame must not be masked."
        case .truncatedCloseCode: "A close frame holds a single byte."
        case .invalidCloseCode: "A close frame has a code that must not be sent."
        case .invalidUTF8: "A text is not valid UTF-8."
        case .frameTooLarge: "A frame is too large; send smaller ones."
        case .messageTooLarge: "A message is too large."
        }
    }
}
