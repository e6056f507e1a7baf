/// How far one end of a connection is, and when something is due: facts go in, decisions come out.
struct WebSocketStateMachine: Sendable {
    typealias Instant = ContinuousClock.Instant

    enum Phase: UInt8 {
        /// Messages go both ways.
        case open
        /// This end has closed; what comes is thrown away until the other end's close.
        case closing
        /// No frame matters any more: what is to be written still leaves, then the connection below ends.
        case ending
        /// The connection below is of no use.
        case over
    }

    enum Expiry {
        case nothing
        /// Ask the other end for a sign of life.
        case ping
        case lose(WebSocketEnd.Loss)
        /// Closing took too long; the end is known already.
        case finish
    }

    private let pingInterval: Duration?
    private let pongTimeout: Duration
    private let closeTimeout: Duration
    private let writeTimeout: Duration
    private(set) var phase = Phase.open
    /// How the connection ended, as soon as that is certain.
    private(set) var end: WebSocketEnd?
    private var sentClose: WebSocketClose?
    /// When the silence that a ping ends, or a lost connection, began to count; nil while no ping is unanswered.
    private var silentSince: Instant?
    private var nextPing: Instant?
    private var closeDeadline: Instant?
    private var writeDeadline: Instant?
    private var isReading = true

    init(_ configuration: WebSocketConfiguration, at now: Instant) {
        self.pingInterval = configuration.pingInterval
        self.pongTimeout = configuration.pongTimeout
        self.closeTimeout = configuration.closeTimeout
        self.writeTimeout = configuration.writeTimeout
        self.nextPing = configuration.pingInterval.map { now + $0 }
    }

    /// When to look again.
    var deadline: Instant? {
        var earliest = self.writeDeadline
        func consider(_ instant: Instant?) {
            guard let instant else { return }
            earliest = earliest.map { min($0, instant) } ?? instant
        }
        consider(self.closeDeadline)
        if self.phase == .open {
            consider(self.nextPing)
            if self.isReading { consider(self.silentSince.map { $0 + self.pongTimeout }) }
        }
        return self.phase == .over ? nil : earliest
    }

    // MARK: - Life

    /// Bytes came: whatever they are, the other end lives.
    mutating func heard() {
        self.silentSince = nil
    }

    /// The socket is read again, or not: what is not read cannot be heard, and that is not the other end's fault.
    mutating func reads(_ isReading: Bool, at now: Instant) {
        guard isReading != self.isReading else { return }
        self.isReading = isReading
        if self.silentSince != nil { self.silentSince = now }
    }

    mutating func wroteSome(isAll: Bool, at now: Instant) {
        self.writeDeadline = isAll ? nil : now + self.writeTimeout
    }

    /// Bytes wait for the socket that took none of them.
    mutating func stalled(at now: Instant) {
        if self.writeDeadline == nil { self.writeDeadline = now + self.writeTimeout }
    }

    // MARK: - Ends

    /// This end closes; false when it is too late for that.
    mutating func close(_ close: WebSocketClose, at now: Instant) -> Bool {
        guard self.phase == .open else { return false }
        self.phase = .closing
        self.sentClose = close
        self.closeDeadline = now + self.closeTimeout
        return true
    }

    /// The other end closed; what to answer, if anything.
    mutating func receivedClose(_ close: WebSocketClose, at now: Instant) -> WebSocketClose? {
        switch self.phase {
        case .open:
            self.startEnding(.closedByPeer(close), at: now)
            return close
        case .closing:
            self.startEnding(.closed(self.sentClose ?? .withoutCode), at: now)
            return nil
        case .ending, .over: return nil
        }
    }

    /// The other end broke the protocol, or there is no room for it; whether a close is still to be sent.
    mutating func fail(_ end: WebSocketEnd, at now: Instant) -> Bool {
        let isFirst = self.phase == .open
        if self.phase == .open || self.phase == .closing { self.startEnding(end, at: now) }
        return isFirst
    }

    private mutating func startEnding(_ end: WebSocketEnd, at now: Instant) {
        self.phase = .ending
        self.end = end
        if self.closeDeadline == nil { self.closeDeadline = now + self.closeTimeout }
    }

    /// The connection below is gone.
    mutating func lose(_ loss: WebSocketEnd.Loss) {
        // A close that was sent and not answered is what the other end got to know.
        if self.end == nil {
            self.end = self.phase == .closing && loss != .aborted ? self.sentClose.map { .closed($0) } : .lost(loss)
        }
        self.phase = .over
    }

    mutating func expired(at now: Instant) -> Expiry {
        if let closeDeadline = self.closeDeadline, closeDeadline <= now { return .finish }
        if let writeDeadline = self.writeDeadline, writeDeadline <= now { return .lose(.stalled) }
        guard self.phase == .open else { return .nothing }
        if self.isReading, let since = self.silentSince, since + self.pongTimeout <= now { return .lose(.silent) }
        guard let nextPing = self.nextPing, let interval = self.pingInterval, nextPing <= now else { return .nothing }
        self.nextPing = now + interval
        if self.silentSince == nil { self.silentSince = now }
        return .ping
    }
}
