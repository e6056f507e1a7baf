/// How one end of a connection behaves.
public struct WebSocketConfiguration: Sendable {
    /// What the other end may send.
    public var limits = WebSocketLimits()
    /// How many bytes may wait for the receiver before the socket is no longer read.
    ///
    /// The default is 256 KiB.
    public var receiveBuffer = 256 << 10
    /// How many bytes may wait for the socket before senders have to wait.
    ///
    /// The default is 256 KiB.
    public var sendBuffer = 256 << 10
    /// How often the other end is pinged; nil for never.
    ///
    /// The default is 15 s (contract yugu, section 10.5).
    public var pingInterval: Duration? = .seconds(15)
    /// How long the other end may be silent though it was pinged.
    ///
    /// The default is 30 s (contract yugu, section 10.5).
    public var pongTimeout: Duration = .seconds(30)
    /// How long closing may take.
    ///
    /// The default is 5 s.
    public var closeTimeout: Duration = .seconds(5)
    /// How long the other end may take nothing of what is sent.
    ///
    /// The default is 30 s.
    public var writeTimeout: Duration = .seconds(30)
    /// Whether pings are answered; only who plays a broken peer does without.
    ///
    /// The default is true.
    public var answersPings = true

    /// The defaults.
    public init() {}
}
