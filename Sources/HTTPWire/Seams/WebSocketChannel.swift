/// An open WebSocket connection as whoever talks over it sees it.
///
/// To be used on the loop of the connection, where the task of its handler runs.
public protocol WebSocketChannel: AnyObject, Sendable {
    /// The next message.
    ///
    /// Who does not ask for the next message slows the other end down. One task at a time.
    ///
    /// - Returns: Nil when the connection is over and everything that came has been handed out, or when the task is
    ///   cancelled.
    func receive() async -> WebSocketMessage?

    /// Sends a message behind those before it; returns when there is room for a further one.
    ///
    /// - Returns: False when the connection is over or closing, and nobody knows whether the message has left.
    @discardableResult
    func send(_ message: WebSocketMessage) async -> Bool

    /// Asks the other end for a sign of life.
    ///
    /// - Returns: Whether its pong came within the limit.
    func ping(within limit: Duration) async -> Bool

    /// Begins to close the connection, behind what was sent; no effect on one that is closing.
    ///
    /// The other end gets some time to answer, after which the connection is over without an answer.
    func close(_ close: WebSocketClose)

    /// Drops the connection without a word: the other end sees a reset.
    func abort()

    /// How the connection ended; nil while it is open or closing.
    var end: WebSocketEnd? { get }

    /// Returns when the connection is over.
    func untilEnd() async -> WebSocketEnd
}

/// How a connection ended.
public enum WebSocketEnd: Hashable, Sendable {
    /// The other end closed it.
    case closedByPeer(WebSocketClose)
    /// This end closed it, with these words.
    case closed(WebSocketClose)
    /// The other end broke the protocol.
    case violated(WebSocketError)
    /// There was no proper end.
    case lost(Loss)

    /// Why there was no proper end.
    public enum Loss: String, Hashable, Sendable, CaseIterable {
        /// The connection was ended or reset beneath.
        case disconnected
        /// Nothing came from the other end for longer than it may take to answer a ping.
        case silent
        /// The other end took nothing for too long.
        case stalled
        /// There was no memory left for what was to be kept for it.
        case overloaded
        /// This end dropped it.
        case aborted
    }
}

/// What talks over the connections that a server was asked to open.
public protocol WebSocketHandler: Sendable {
    /// Talks; the connection is closed with 1000 when this returns, if it is not closed yet.
    ///
    /// Runs on the connection's loop. The task is cancelled when the server stops, and not when the connection is lost:
    /// that is told by the channel.
    func run(_ channel: any WebSocketChannel) async

    /// The server will end soon; called once, on the connection's loop.
    ///
    /// Closes with 1001 unless implemented otherwise; what is open when the server's time is up is closed so too.
    func drain(_ channel: any WebSocketChannel)
}

extension WebSocketHandler {
    /// Closes with 1001.
    public func drain(_ channel: any WebSocketChannel) {
        channel.close(WebSocketClose(.goingAway, reason: "The server is shutting down."))
    }
}

/// What a connection becomes behind the answer that carries this.
public final class WebSocketUpgrade: Sendable {
    /// The request, checked.
    public let handshake: WebSocketServerHandshake
    /// The subprotocol agreed on, one that the client offers; nil for none.
    public let subprotocol: String?
    /// Whose it is: with the owner's others it keeps at most a share of what all connections may; nil for nobody's.
    public let owner: String?
    /// How the connection behaves; nil as the server's configuration says.
    public let configuration: WebSocketConfiguration?
    /// What talks over it.
    public let handler: any WebSocketHandler

    /// Takes the parts.
    public init(
        _ handshake: WebSocketServerHandshake,
        subprotocol: String? = nil,
        owner: String? = nil,
        configuration: WebSocketConfiguration? = nil,
        handler: any WebSocketHandler
    ) {
        self.handshake = handshake
        self.subprotocol = subprotocol
        self.owner = owner
        self.configuration = configuration
        self.handler = handler
    }
}
