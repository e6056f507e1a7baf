/// The times that a round waits for, each nil while it does not.
struct RoundTimes: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The platform's `started`.
    var connect: Instant?
    /// The next attempt to connect.
    var reconnect: Instant?
    /// The result, on the present connection.
    var result: Instant?
    /// The result, on any.
    var ending: Instant?
    /// What the platform says of the end, when it said no before it had that.
    var refusal: Instant?

    /// The first of them, and of another one.
    func earliest(with other: Instant?) -> Instant? {
        var earliest = other
        for time in [self.connect, self.reconnect, self.result, self.ending, self.refusal] {
            if let time { earliest = earliest.map { min($0, time) } ?? time }
        }
        return earliest
    }

    /// The present connection is gone; the time of all connections stays.
    mutating func clear() {
        self = RoundTimes(ending: self.ending)
    }
}
