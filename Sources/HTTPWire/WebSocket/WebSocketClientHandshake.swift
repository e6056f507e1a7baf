/// Opens a WebSocket connection from the client's side (RFC 6455, section 4.1), without extensions.
public struct WebSocketClientHandshake: Sendable {
    /// Why an answer does not open the connection.
    public enum Failure: Error, Hashable, Sendable {
        /// The server answered with another status than 101; its content may say why.
        case refused(status: Int)
        /// The answer does not switch to WebSocket.
        case notSwitched
        /// The accept value is not the one of the key: the server does not know what it agreed to.
        case wrongAccept
        /// The server chose an extension, and none was offered.
        case unknownExtension
        /// The server chose a subprotocol that was not offered.
        case unknownSubprotocol
    }

    private let authority: String
    private let target: String
    private let key: String
    private let fields: HTTPFields
    private let subprotocols: [String]

    /// Takes what the request says.
    ///
    /// - Parameters:
    ///   - authority: Host, and the port where it is not the scheme's own.
    ///   - target: Path and query, percent-encoded.
    ///   - key: 16 random bytes in Base64, new for each connection.
    ///   - fields: Further fields.
    ///   - subprotocols: Which to offer, best first. The default is none.
    public init(
        authority: String,
        target: String,
        key: String,
        fields: HTTPFields = HTTPFields(),
        subprotocols: [String] = []
    ) {
        precondition(target.utf8.first == ASCII.slash && target.utf8.allSatisfy(ByteSet.visible.contains), "no target")
        precondition(WebSocketKey.isValid(key), "not a key")
        self.authority = authority
        self.target = target
        self.key = key
        self.fields = fields
        self.subprotocols = subprotocols
    }

    /// Writes the request to the end of a buffer.
    public func encode(into buffer: inout [UInt8]) {
        var fields = HTTPFields()
        fields.append(.host, self.authority)
        fields.append(.upgrade, "websocket")
        fields.append(.connection, "Upgrade")
        fields.append(.secWebSocketKey, self.key)
        fields.append(.secWebSocketVersion, "13")
        if !self.subprotocols.isEmpty {
            fields.append(.secWebSocketProtocol, self.subprotocols.joined(separator: ", "))
        }
        buffer.append(contentsOf: "GET \(self.target) HTTP/1.1\r\n".utf8)
        fields.encode(into: &buffer)
        self.fields.encode(into: &buffer)
        buffer.append(contentsOf: "\r\n".utf8)
    }

    /// Checks the answer.
    ///
    /// - Parameters:
    ///   - status: The status of the answer.
    ///   - fields: Its fields.
    ///   - accept: The accept value of the key.
    /// - Returns: The subprotocol that the server chose, or nil.
    public func subprotocol(
        agreedIn status: Int,
        _ fields: HTTPFields,
        accept: String
    ) throws(Failure) -> String? {
        guard status == 101 else { throw .refused(status: status) }
        guard fields.values(of: .upgrade).map({ $0.lowercased() }) == ["websocket"],
            fields.members(of: .connection).contains(where: { HTTPToken.equals($0.utf8, "upgrade") })
        else { throw .notSwitched }
        guard fields.values(of: .secWebSocketAccept) == [accept] else { throw .wrongAccept }
        guard fields.members(of: .secWebSocketExtensions).isEmpty else { throw .unknownExtension }
        let chosen = fields.values(of: .secWebSocketProtocol)
        guard let first = chosen.first else { return nil }
        guard chosen.count == 1, self.subprotocols.contains(first) else { throw .unknownSubprotocol }
        return first
    }
}
