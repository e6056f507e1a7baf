/// WebSocket frames written by hand, so that no expected byte comes from the encoder under test.
public enum HandMadeFrame {
    /// The masking key of the examples in RFC 6455, section 5.7.
    public static let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    /// Content as a client masks it.
    public static func masked(_ bytes: [UInt8]) -> [UInt8] {
        bytes.enumerated().map { index, byte in byte ^ self.key[index % 4] }
    }

    /// A frame of a client.
    ///
    /// - Parameters:
    ///   - first: The first byte: flags and opcode.
    ///   - content: Not masked yet.
    public static func fromClient(_ first: UInt8, _ content: [UInt8]) -> [UInt8] {
        [first] + self.length(content.count, mask: 0x80) + self.key + self.masked(content)
    }

    /// A frame of a server.
    public static func fromServer(_ first: UInt8, _ content: [UInt8]) -> [UInt8] {
        [first] + self.length(content.count, mask: 0) + content
    }

    /// A close frame of a client.
    public static func closeFromClient(_ code: UInt16, _ reason: String = "") -> [UInt8] {
        self.fromClient(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
    }

    /// A close frame of a server.
    public static func closeFromServer(_ code: UInt16, _ reason: String = "") -> [UInt8] {
        self.fromServer(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
    }

    private static func length(_ count: Int, mask: UInt8) -> [UInt8] {
        switch count {
        case ...125: [mask | UInt8(count)]
        case ...0xFFFF: [mask | 126, UInt8(count >> 8), UInt8(count & 0xFF)]
        default: [mask | 127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
        }
    }
}
