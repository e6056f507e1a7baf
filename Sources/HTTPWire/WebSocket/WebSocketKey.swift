/// The grammar of `Sec-WebSocket-Key` (RFC 6455, section 4.1).
enum WebSocketKey {
    /// Whether a text is 16 bytes in Base64.
    static func isValid(_ text: String) -> Bool {
        let digits = text.utf8
        return digits.count == 24 && digits.suffix(2).allSatisfy { $0 == ASCII.equals }
            && digits.prefix(22).allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), ASCII.slash:
                    true
                default: false
                }
            }
    }
}
