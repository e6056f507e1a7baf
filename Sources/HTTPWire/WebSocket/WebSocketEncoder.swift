/// Writes frames (RFC 6455, section 5), each with the shortest head that can say its length.
public struct WebSocketEncoder: Sendable {
    // Nil for a server, which masks nothing.
    private let makeMaskingKey: (@Sendable () -> UInt32)?

    /// The encoder of a server.
    public static let server = WebSocketEncoder(makeMaskingKey: nil)

    /// The encoder of a client.
    ///
    /// - Parameter makeMaskingKey: Makes a key that nobody can foresee (section 10.3), for each frame; its lowest byte
    ///   is the first on the wire.
    public static func client(makeMaskingKey: @escaping @Sendable () -> UInt32) -> WebSocketEncoder {
        WebSocketEncoder(makeMaskingKey: makeMaskingKey)
    }

    private init(makeMaskingKey: (@Sendable () -> UInt32)?) {
        self.makeMaskingKey = makeMaskingKey
    }

    /// The end that this encoder writes for.
    public var role: WebSocketRole { self.makeMaskingKey == nil ? .server : .client }

    /// Writes a message as one frame to the end of a buffer.
    public func encode(_ message: WebSocketMessage, into buffer: inout [UInt8]) {
        self.encode(message.kind == .text ? .text : .binary, message.bytes, into: &buffer)
    }

    /// Writes a close frame to the end of a buffer.
    public func encode(_ close: WebSocketClose, into buffer: inout [UInt8]) {
        self.encode(.close, close.payload, into: &buffer)
    }

    /// Writes a frame to the end of a buffer.
    ///
    /// - Parameters:
    ///   - opcode: What it is.
    ///   - payload: The content, of a control frame at most 125 bytes.
    ///   - isFinal: Whether it ends its message. The default is true.
    ///   - buffer: Where the frame goes.
    public func encode(
        _ opcode: WebSocketOpcode,
        _ payload: [UInt8],
        isFinal: Bool = true,
        into buffer: inout [UInt8]
    ) {
        payload.withUnsafeBytes { self.encode(opcode, $0, isFinal: isFinal, into: &buffer) }
    }

    /// Writes a frame, of which the content lies anywhere, to the end of a buffer.
    public func encode(
        _ opcode: WebSocketOpcode,
        _ payload: UnsafeRawBufferPointer,
        isFinal: Bool = true,
        into buffer: inout [UInt8]
    ) {
        precondition(!opcode.isControl || isFinal && payload.count <= 125, "a control frame is short and whole")
        let maskBit: UInt8 = self.makeMaskingKey == nil ? 0 : 0x80
        buffer.append((isFinal ? 0x80 : 0) | opcode.rawValue)
        switch payload.count {
        case ...125:
            buffer.append(maskBit | UInt8(payload.count))
        case ...0xFFFF:
            buffer.append(maskBit | 126)
            buffer.append(UInt8(payload.count >> 8))
            buffer.append(UInt8(payload.count & 0xFF))
        default:
            buffer.append(maskBit | 127)
            withUnsafeBytes(of: UInt64(payload.count).bigEndian) { buffer.append(contentsOf: $0) }
        }
        guard let makeMaskingKey = self.makeMaskingKey else {
            buffer.append(contentsOf: payload)
            return
        }
        var key = WebSocketMaskingKey(word: makeMaskingKey())
        let (first, second, third, fourth) = key.bytes
        buffer.append(contentsOf: [first, second, third, fourth])
        let start = buffer.count
        buffer.append(contentsOf: payload)
        buffer.withUnsafeMutableBytes { bytes in
            key.apply(to: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
        }
    }
}
