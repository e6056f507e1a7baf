/// A request that opens a WebSocket connection, checked (RFC 6455, section 4.2.1).
///
/// Extensions are declined by saying nothing about them.
public struct WebSocketServerHandshake: Sendable {
    /// The client's key, from which the accept value is made.
    public let key: String
    /// The subprotocols that the client offers, best first.
    public let subprotocols: [String]

    /// Whether a request asks for WebSocket at all.
    public static func isRequested(by head: HTTPRequestHead) -> Bool {
        head.fields.members(of: .upgrade).contains { HTTPToken.equals($0.utf8, "websocket") }
    }

    /// Checks a request.
    ///
    /// - Parameters:
    ///   - head: A head out of the parser, which has seen to it that there is one valid Host.
    ///   - origins: Which pages may ask. The default is all.
    /// - Throws: ``WebSocketHandshakeError`` with the status and the fields to answer with.
    public init(_ head: HTTPRequestHead, origins: WebSocketOrigins = .any) throws(WebSocketHandshakeError) {
        guard head.method == .get else { throw .method }
        guard head.version == .http11, head.authority != nil else { throw .protocolVersion }
        guard head.framing == .none || head.framing == .length(0) else { throw .content }
        guard Self.isRequested(by: head),
            head.fields.members(of: .connection).contains(where: { HTTPToken.equals($0.utf8, "upgrade") })
        else { throw .upgrade }
        guard head.fields.values(of: .secWebSocketVersion) == ["13"] else { throw .version }
        let keys = head.fields.values(of: .secWebSocketKey)
        guard keys.count == 1, WebSocketKey.isValid(keys[0]) else { throw .key }
        let subprotocols = head.fields.members(of: .secWebSocketProtocol)
        guard subprotocols.allSatisfy({ $0.utf8.allSatisfy(HTTPToken.isTokenByte) }),
            Set(subprotocols).count == subprotocols.count,
            !subprotocols.isEmpty || !head.fields.contains(.secWebSocketProtocol)
        else { throw .subprotocols }
        guard origins.allows(head.fields[.origin]) else { throw .origin }
        self.key = keys[0]
        self.subprotocols = subprotocols
    }

    /// The first of the given subprotocols that the client offers, or nil: then the connection has none.
    public func subprotocol(of supported: [String]) -> String? {
        supported.first(where: self.subprotocols.contains)
    }

    /// The answer that opens the connection (section 4.2.2).
    ///
    /// - Parameters:
    ///   - accept: The accept value of ``key``.
    ///   - subprotocol: One that the client offers, or nil.
    public func response(accept: String, subprotocol: String? = nil) -> HTTPResponse {
        var response = HTTPResponse(status: HTTPStatus(101))
        response.fields.append(.upgrade, "websocket")
        response.fields.append(.connection, "Upgrade")
        response.fields.append(.secWebSocketAccept, accept)
        if let subprotocol { response.fields.append(.secWebSocketProtocol, subprotocol) }
        return response
    }
}
