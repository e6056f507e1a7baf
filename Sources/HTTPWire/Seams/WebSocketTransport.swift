/// The seam to the platforms' WebSockets: the gateway calls it, the upstream client implements it.
public protocol WebSocketTransport: Sendable {
    /// Opens a connection on the event loop that the caller runs on: one attempt, with one handshake.
    ///
    /// Cancelling the task gives it up. Letting go of the channel without closing it drops the connection.
    func open(_ request: WebSocketRequest) async throws(WebSocketOpenError) -> any WebSocketChannel
}

/// What a connection is opened with.
public struct WebSocketRequest: Sendable {
    /// The absolute URL, `wss:` or, on this machine, `ws:`.
    public var url: String
    /// The fields; those of the handshake itself are the transport's business.
    public var fields: HTTPFields
    /// How long name resolution, connection, TLS and handshake may take together.
    public var timeout: Duration
    /// How the connection behaves when it is open.
    public var configuration = WebSocketConfiguration()

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - url: `wss:` or `ws:`.
    ///   - fields: The default is none.
    ///   - timeout: The default is 10 s (contract yugu, section 10.6).
    public init(
        url: String,
        fields: HTTPFields = HTTPFields(),
        timeout: Duration = .seconds(10)
    ) {
        self.url = url
        self.fields = fields
        self.timeout = timeout
    }
}

/// Why there is no connection.
public enum WebSocketOpenError: Error, Sendable {
    /// The server gave another answer than the one that opens it; its content may be cut.
    case refused(HTTPTransportResponse)
    /// There was no connection, or no valid answer; no message left in any case.
    case failed(HTTPTransportError)
}
