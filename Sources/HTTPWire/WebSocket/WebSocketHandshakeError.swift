/// Why a request opens no WebSocket connection.
public enum WebSocketHandshakeError: String, Error, Hashable, Sendable, CaseIterable {
    /// The method is not GET.
    case method
    /// The request is HTTP/1.0.
    case protocolVersion
    /// The request has content.
    case content
    /// The request does not ask for an upgrade to WebSocket.
    case upgrade
    /// The version of the WebSocket protocol is not 13.
    case version
    /// The key is not there once, or is not 16 bytes in Base64.
    case key
    /// The list of subprotocols is malformed or names one twice.
    case subprotocols
    /// The page that asks is not on the list.
    case origin

    /// The status to answer with.
    public var status: HTTPStatus {
        switch self {
        case .method: HTTPStatus(405)
        case .upgrade, .version: HTTPStatus(426)
        case .origin: HTTPStatus(403)
        case .protocolVersion, .content, .key, .subprotocols: HTTPStatus(400)
        }
    }

    /// What is wrong and what to do about it, in one sentence without any byte of the request.
    public var message: String {
        switch self {
        case .method: "A WebSocket connection is opened with GET."
        case .protocolVersion: "A WebSocket connection is opened with HTTP/1.1."
        case .content: "A request that opens a WebSocket connection has no content."
        case .upgrade: "This is a WebSocket; send Connection: Upgrade and Upgrade: websocket."
        case .version: "Only version 13 of WebSocket is spoken here; send Sec-WebSocket-Version: 13."
        case .key: "Sec-WebSocket-Key must be there once, with 16 bytes in Base64."
        case .subprotocols: "Sec-WebSocket-Protocol must be a list of different tokens."
        case .origin: "Pages of this origin may not open connections here."
        }
    }

    /// The fields that belong into the answer.
    public var fields: HTTPFields {
        var fields = HTTPFields()
        switch self {
        case .method:
            fields.append(.allow, "GET")
        case .upgrade:
            fields.append(.upgrade, "websocket")
        case .version:
            fields.append(.upgrade, "websocket")
            fields.append(.secWebSocketVersion, "13")
        case .protocolVersion, .content, .key, .subprotocols, .origin: break
        }
        return fields
    }
}
