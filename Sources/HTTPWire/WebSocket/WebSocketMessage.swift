/// A whole message.
public struct WebSocketMessage: Hashable, Sendable {
    /// What the bytes are.
    public enum Kind: Hashable, Sendable {
        /// UTF-8.
        case text
        /// Anything.
        case binary
    }

    /// What the bytes are.
    public var kind: Kind
    /// The content; of a received text valid UTF-8.
    public var bytes: [UInt8]

    /// Takes the parts; the bytes of a text are UTF-8.
    public init(kind: Kind, bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }

    /// A text.
    public static func text(_ text: String) -> WebSocketMessage {
        WebSocketMessage(kind: .text, bytes: Array(text.utf8))
    }

    /// A message of bytes.
    public static func binary(_ bytes: [UInt8]) -> WebSocketMessage {
        WebSocketMessage(kind: .binary, bytes: bytes)
    }
}
