/// What carries the bytes of an endpoint: a socket on a loop, and the loop's clock.
///
/// The endpoint decides, the carrier performs: after each fact that it tells the endpoint, and whenever
/// ``endpointChanged()`` is called, it looks at what the endpoint wants.
public protocol WebSocketCarrier: AnyObject, Sendable {
    /// Whether the calling thread runs the loop of the connection.
    var isCurrent: Bool { get }

    /// The time, as the loop reckons it.
    var now: ContinuousClock.Instant { get }

    /// Offers bytes to the socket.
    ///
    /// - Returns: How many it took, 0 when it is full; nil when it is broken.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int?

    /// What the endpoint wants may have changed: input, output, a deadline, the end.
    func endpointChanged()

    /// Runs work on the loop, later.
    ///
    /// Any thread.
    func execute(_ work: @escaping @Sendable () -> Void)
}
