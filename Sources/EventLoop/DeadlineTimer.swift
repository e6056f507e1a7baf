/// A timer for a deadline that moves, mostly away: with each request, piece of content or frame.
///
/// It comes at the deadline or before; whoever it wakes looks whether the deadline has come and else arms it again. So
/// moving a deadline away costs nothing.
///
/// Confined to its loop.
public struct DeadlineTimer {
    private var armed: (deadline: EventLoop.Instant, token: TimerToken)?

    /// A timer that is not armed.
    public init() {}

    /// Sees to it that work is done at the deadline or before.
    ///
    /// - Parameter work: Calls ``noteFired()`` first.
    public mutating func arm(by deadline: EventLoop.Instant, on loop: EventLoop, _ work: @escaping @Sendable () -> Void)
    {
        if let armed = self.armed, armed.deadline <= deadline { return }
        self.cancel(on: loop)
        self.armed = (deadline, loop.schedule(at: deadline, work))
    }

    /// Its work runs now.
    public mutating func noteFired() {
        self.armed = nil
    }

    /// Drops its work.
    public mutating func cancel(on loop: EventLoop) {
        if let armed = self.armed { loop.cancel(armed.token) }
        self.armed = nil
    }
}
