/// A connection that carries frames, as a round needs it: the client's, or one to the platform.
protocol RealtimeLine: AnyObject, Sendable {
    /// Waits for what comes next; behind the end again and again the end.
    func receive() async -> RealtimeInput

    /// Sends a text frame; waits while too much is waiting before it.
    func send(text: [UInt8]) async

    /// Sends a binary frame; waits while too much is waiting before it.
    func send(binary: [UInt8]) async

    /// Sends a ping; its answer comes as ``RealtimeInput/pong``.
    func ping()

    /// Begins to close; what comes behind this is thrown away.
    func close(code: UInt16, reason: String)
}

/// What comes over a connection.
enum RealtimeInput: Sendable {
    case text([UInt8])
    case binary([UInt8])
    case pong
    /// Closed by the other end, with its code if it gave one; or broken, which has neither code nor reason.
    case ended(code: UInt16?, reason: String)
}
