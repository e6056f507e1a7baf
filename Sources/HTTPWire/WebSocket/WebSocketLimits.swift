/// The bounds of what the other end may send; 1009 beyond.
public struct WebSocketLimits: Sendable {
    /// The largest frame, in bytes of content.
    ///
    /// The default is 128 KiB.
    public var frameBytes = 128 << 10
    /// The largest message, in bytes over all of its frames.
    ///
    /// The default is 1 MiB.
    public var messageBytes = 1 << 20

    /// The default limits.
    public init() {}
}
