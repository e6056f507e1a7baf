/// Pings one side of a session and finds out when it no longer answers (contract yugu, section 10.5).
struct Heartbeat: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// What the time that has come asks for.
    enum Beat: Equatable, Sendable {
        case ping
        /// No answer in time: the connection is lost.
        case dead
    }

    private let interval: Duration
    private let timeout: Duration
    /// Nil while nobody is pinged.
    private var pingDue: Instant?
    /// When the oldest ping without an answer has waited long enough.
    private var pongDue: Instant?

    init(interval: Duration, timeout: Duration) {
        self.interval = interval
        self.timeout = timeout
    }

    /// When to ask ``beat(at:)`` next.
    var deadline: Instant? {
        guard let pingDue else { return nil }
        return self.pongDue.map { min($0, pingDue) } ?? pingDue
    }

    /// Begins anew; whatever was sent before counts no longer.
    mutating func start(at now: Instant) {
        self.pingDue = now + self.interval
        self.pongDue = nil
    }

    mutating func stop() {
        self.pingDue = nil
        self.pongDue = nil
    }

    /// Notes the answer to a ping.
    mutating func notePong() {
        self.pongDue = nil
    }

    /// What is due; nil when nothing is.
    mutating func beat(at now: Instant) -> Beat? {
        guard let pingDue else { return nil }
        if let pongDue, pongDue <= now { return .dead }
        guard pingDue <= now else { return nil }
        self.pingDue = now + self.interval
        if self.pongDue == nil { self.pongDue = now + self.timeout }
        return .ping
    }
}
