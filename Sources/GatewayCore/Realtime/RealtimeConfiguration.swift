public import HTTPWire

/// Times and limits of realtime sessions.
public struct RealtimeConfiguration: Hashable, Sendable {
    /// Those of a round at the platform.
    public var round = RealtimeSession.Configuration()
    /// How long a client may send nothing, unless it waits for a result; the default is 60 s.
    public var idleTimeout = Duration.seconds(60)
    /// How long a round may last before its end, whatever its client sends; the default is 600 s.
    public var roundTimeout = Duration.seconds(600)
    /// How long the client of a round may send no audio before its end; the default is 120 s.
    public var audioTimeout = Duration.seconds(120)
    /// Which pages may open sessions; the default is all.
    public var origins = WebSocketOrigins.any
    /// How often it is asked whether a session's credential still holds; the default is 2 s.
    public var credentialInterval = Duration.seconds(2)
    /// How long the older one of two sessions with one key may take to prove that its link is not broken; the default
    /// is 5 s.
    public var duplicateTimeout = Duration.seconds(5)

    /// The defaults.
    public init() {}
}
