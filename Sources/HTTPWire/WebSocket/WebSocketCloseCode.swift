/// Why a connection is closed: a code that may stand in a close frame (RFC 6455, section 7.4).
///
/// 1005, 1006 and 1015 only name what is not on the wire, the other numbers below 3000 that are missing here have no
/// meaning: none of them can be made, so none can be sent.
public struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt16

    /// Takes a number, or nil when it may not stand in a close frame.
    public init?(rawValue: UInt16) {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: self.rawValue = rawValue
        default: return nil
        }
    }

    private init(registered rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// A code of the application's own.
    ///
    /// - Parameter number: 4000 to 4999.
    public static func application(_ number: UInt16) -> WebSocketCloseCode {
        precondition((4000...4999).contains(number), "not a private code")
        return WebSocketCloseCode(registered: number)
    }

    /// 1000: all is done.
    public static let normalClosure = WebSocketCloseCode(registered: 1000)
    /// 1001: this end goes away, a server that ends or a page that is left.
    public static let goingAway = WebSocketCloseCode(registered: 1001)
    /// 1002: the other end broke the protocol.
    public static let protocolError = WebSocketCloseCode(registered: 1002)
    /// 1003: a kind of message that is not taken.
    public static let unsupportedData = WebSocketCloseCode(registered: 1003)
    /// 1007: a text that is no UTF-8.
    public static let invalidPayload = WebSocketCloseCode(registered: 1007)
    /// 1008: what was sent is not allowed.
    public static let policyViolation = WebSocketCloseCode(registered: 1008)
    /// 1009: a message or frame is too large.
    public static let messageTooBig = WebSocketCloseCode(registered: 1009)
    /// 1010: an extension that the client needs was declined.
    public static let mandatoryExtension = WebSocketCloseCode(registered: 1010)
    /// 1011: something here went wrong.
    public static let internalError = WebSocketCloseCode(registered: 1011)
    /// 1012: the server starts anew.
    public static let serviceRestart = WebSocketCloseCode(registered: 1012)
    /// 1013: there is no room now.
    public static let tryAgainLater = WebSocketCloseCode(registered: 1013)
    /// 1014: what stands behind the server answered nothing usable.
    public static let badGateway = WebSocketCloseCode(registered: 1014)
}
