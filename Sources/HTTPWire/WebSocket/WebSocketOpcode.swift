/// What a frame is (RFC 6455, section 5.2).
public enum WebSocketOpcode: UInt8, Hashable, Sendable {
    /// A further frame of the message that has begun.
    case continuation = 0x0
    /// The first frame of a text.
    case text = 0x1
    /// The first frame of a message of bytes.
    case binary = 0x2
    /// The last frame of its direction.
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Whether it stands alone, even amid the frames of a message (section 5.5).
    public var isControl: Bool { self.rawValue & 0x8 != 0 }
}
