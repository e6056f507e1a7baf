/// Pings that were sent, by number, and who waits for their pongs.
///
/// Confined to a loop.
struct WebSocketPings {
    private struct Waiter {
        let number: UInt64
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<Bool, Never>
    }

    private var number: UInt64 = 0
    private var waiters: [Waiter] = []

    /// When the first wait ends.
    var deadline: ContinuousClock.Instant? { self.waiters.lazy.map(\.deadline).min() }

    /// The payload of a further ping.
    mutating func next() -> [UInt8] {
        self.number += 1
        return withUnsafeBytes(of: self.number.bigEndian) { Array($0) }
    }

    /// Waits for the pong to the latest ping.
    mutating func wait(until deadline: ContinuousClock.Instant, _ continuation: CheckedContinuation<Bool, Never>) {
        self.waiters.append(Waiter(number: self.number, deadline: deadline, continuation: continuation))
    }

    /// A pong came: it answers its ping and all before it (RFC 6455, section 5.5.3).
    mutating func answered(_ payload: [UInt8]) {
        guard payload.count == 8 else { return }
        let number = payload.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        // A pong from nowhere answers nothing.
        guard number <= self.number else { return }
        self.end(true) { $0.number <= number }
    }

    mutating func expire(at now: ContinuousClock.Instant) {
        self.end(false) { $0.deadline <= now }
    }

    /// The connection is closing or over.
    mutating func giveUp() {
        self.end(false) { _ in true }
    }

    private mutating func end(_ isAnswered: Bool, _ matches: (Waiter) -> Bool) {
        guard !self.waiters.isEmpty else { return }
        let ended = self.waiters.filter(matches)
        self.waiters.removeAll(where: matches)
        for waiter in ended { waiter.continuation.resume(returning: isAnswered) }
    }
}
