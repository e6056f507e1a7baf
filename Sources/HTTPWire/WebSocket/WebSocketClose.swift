/// What a close frame says (RFC 6455, section 5.5.1).
public struct WebSocketClose: Hashable, Sendable {
    /// The longest reason in bytes: a control frame holds 125, the code takes two.
    public static let maximumReasonBytes = 123

    /// The code, or nil when the frame has none.
    public let code: WebSocketCloseCode?
    /// The reason, often empty; without a code always.
    public let reason: String

    /// Says a code and a reason; what does not fit into a frame is cut off behind a whole character.
    public init(_ code: WebSocketCloseCode, reason: String = "") {
        self.code = code
        guard reason.utf8.count > Self.maximumReasonBytes else {
            self.reason = reason
            return
        }
        var kept = ""
        var count = 0
        for scalar in reason.unicodeScalars {
            count += scalar.utf8.count
            guard count <= Self.maximumReasonBytes else { break }
            kept.unicodeScalars.append(scalar)
        }
        self.reason = kept
    }

    private init() {
        self.code = nil
        self.reason = ""
    }

    /// A close frame without content.
    public static let withoutCode = WebSocketClose()

    /// Reads the payload of a close frame.
    ///
    /// - Throws: ``WebSocketError`` (`truncatedCloseCode`, `invalidCloseCode` or `invalidUTF8`).
    init(parsing payload: [UInt8]) throws(WebSocketError) {
        guard !payload.isEmpty else {
            self.init()
            return
        }
        guard payload.count >= 2 else { throw .truncatedCloseCode }
        guard let code = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1])) else {
            throw .invalidCloseCode
        }
        guard let reason = String(validating: payload[2...], as: UTF8.self) else { throw .invalidUTF8 }
        self.init(code, reason: reason)
    }

    /// The payload of the frame that says this.
    var payload: [UInt8] {
        guard let code = self.code else { return [] }
        return [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)] + Array(self.reason.utf8)
    }
}
