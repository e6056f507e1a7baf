/// The value that proves that a server understood a WebSocket handshake (RFC 6455, section 4.2.2).
public enum WebSocketAccept {
    /// The `Sec-WebSocket-Accept` that belongs to a `Sec-WebSocket-Key`.
    public static func value(forKey key: String) -> String {
        Base64.encode(SHA1.hash(of: key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
    }
}
