/// One round of realtime evaluation at the platform: over as many connections as it takes (contract yugu, section 10).
///
/// A value without clock, timer or socket. Its methods are facts, its results what the shell does about them. It knows
/// audio by position only; the bytes are the shell's. After each call, look at ``deadline`` and come back with
/// ``fire(at:random:)`` then.
///
/// ## Topics
/// - The client's side: ``open(at:)``, ``receiveAudio(_:)``, ``restart(at:)``, ``requestEnd(at:)``, ``cancel()``
/// - The platform's side: ``receive(_:at:random:)``, ``notePong()``, ``lose(_:at:random:)``
/// - Sending: ``nextAudio()``, ``noteFlushed(at:)``, ``loseKeptAudio()``
public struct RealtimeSession: Sendable {
    /// The clock of all deadlines.
    public typealias Instant = ContinuousClock.Instant

    /// The most audio in one frame (contract yugu, section 10.9).
    static let maximumFrame = 32_000

    /// Where the round stands.
    public private(set) var state = State.idle
    private let configuration: Configuration
    private let policy: BufferPolicy
    private var schedule: ReconnectSchedule
    private var heartbeat: Heartbeat
    private var progress = ProgressFilter()

    /// The audio that was accepted; with the drop policy, without what was lost.
    private var received = 0
    /// What of it the present connection has.
    private var sent = 0
    /// From where on it is kept; beyond zero, no other connection can get all.
    private var keptFrom = 0
    private var droppedBytes = 0
    /// Whether kept audio is on its way: what comes meanwhile goes behind it.
    private var isFlushing = false
    /// Whether the platform has accepted the parameters of this round on any connection.
    private var hasStarted = false
    /// `started` frames that are still to come: one for each parameter frame sent.
    private var startsAwaited = 0
    private var isEndRequested = false
    /// Whether the present connection has the end frame.
    private var hasSentEnd = false
    private var mayBeExecuted = false

    private var connectDue: Instant?
    private var reconnectDue: Instant?
    private var resultDue: Instant?
    private var endingDue: Instant?

    /// Takes what a round is made of.
    public init(configuration: Configuration = Configuration(), policy: BufferPolicy = .replay) {
        self.configuration = configuration
        self.policy = policy
        self.schedule = ReconnectSchedule(configuration: configuration)
        self.heartbeat = Heartbeat(interval: configuration.pingInterval, timeout: configuration.pongTimeout)
    }

    /// When to call ``fire(at:random:)`` next, unless something else happens before.
    public var deadline: Instant? {
        guard !self.state.isTerminal else { return nil }
        let times = (self.connectDue, self.reconnectDue, self.resultDue, self.endingDue)
        var earliest = self.heartbeat.deadline
        for time in [times.0, times.1, times.2, times.3] {
            if let time { earliest = earliest.map { min($0, time) } ?? time }
        }
        return earliest
    }

    // MARK: The client's side

    /// Begins.
    public mutating func open(at now: Instant) -> [Action] {
        guard self.state == .idle else { return [] }
        return self.dial(at: now)
    }

    /// The client sent audio.
    ///
    /// - Parameter count: Its bytes.
    public mutating func receiveAudio(_ count: Int) -> AudioFate {
        guard !self.state.isTerminal else { return .discard }
        if self.state == .started, !self.isFlushing {
            self.received += count
            self.sent += count
            let isKept = self.policy == .replay && self.keptFrom == 0 && self.received <= self.configuration.audioLimit
            if !isKept { self.keptFrom = self.received }
            return .send(keeping: isKept)
        }
        if self.policy == .drop, self.hasStarted, self.state != .started {
            self.droppedBytes += count
            return .discard
        }
        self.received += count
        // What is being sent gets through, and then is no longer kept; without a connection that can never be.
        guard self.received - self.keptFrom <= self.configuration.audioLimit || self.state == .started else {
            return .fail(self.fail(.bufferOverflow, nil))
        }
        return .keep
    }

    /// Whether no more audio should be taken from the client for now.
    public var isFull: Bool {
        self.sent < self.received && self.received - self.keptFrom > self.configuration.audioLimit
    }

    /// The client begins the round anew, with parameters of its own: what it sent before counts no longer.
    public mutating func restart(at now: Instant) -> [Action] {
        guard !self.isEndRequested, !self.state.isTerminal else { return [] }
        self.received = 0
        self.sent = 0
        self.keptFrom = 0
        self.droppedBytes = 0
        self.hasStarted = false
        self.progress.reset()
        guard self.state == .connected || self.state == .started else { return [] }
        self.state = .connected
        self.isFlushing = false
        self.startsAwaited += 1
        self.connectDue = now + self.configuration.connectTimeout
        return [.sendStart]
    }

    /// The round's audio is complete, and its end may go to the platform.
    public mutating func requestEnd(at now: Instant) -> [Action] {
        guard !self.isEndRequested, !self.state.isTerminal else { return [] }
        self.isEndRequested = true
        return self.sendEndIfDue(at: now)
    }

    /// Nobody wants the round any more.
    public mutating func cancel() -> [Action] {
        guard !self.state.isTerminal else { return [] }
        let hadConnection = self.state.hasConnection
        self.state = .cancelled
        return hadConnection ? [.drop(closeCode: 1000)] : []
    }

    /// The shell has let go of everything.
    public mutating func close() {
        guard self.state.isTerminal else { return }
        self.state = .closed
    }

    // MARK: The platform's side

    /// The platform sent a frame.
    public mutating func receive(
        _ message: Message,
        at now: Instant,
        random: @autoclosure () -> Double
    ) -> [Action] {
        guard self.state.hasConnection else { return [] }
        switch message {
        case .connected:
            guard self.state == .connecting else { return [] }
            self.state = .connected
            self.startsAwaited = 1
            return [.sendStart]
        case .started:
            guard self.state == .connected else { return [] }
            self.startsAwaited -= 1
            return self.startsAwaited == 0 ? self.start(at: now) : []
        case .progress(let progress):
            guard self.state == .started || self.state == .ending else { return [] }
            guard case .forward(let count) = self.progress.judge(progress) else { return [] }
            return [.forward(droppingWords: count)]
        case .result:
            guard self.state == .ending else {
                return self.lose(.unexpected("a result before the end"), at: now, random: random())
            }
            self.state = .completed
            return [.complete, .drop(closeCode: 1000)]
        case .refusal(let refusal):
            return self.lose(.refusal(refusal), at: now, random: random())
        case .malformed:
            return self.lose(.unexpected("a frame that cannot be read"), at: now, random: random())
        case .other:
            return []
        }
    }

    /// The platform answered a ping.
    public mutating func notePong() {
        self.heartbeat.notePong()
    }

    /// The connection is of no more use.
    public mutating func lose(_ loss: Loss, at now: Instant, random: @autoclosure () -> Double) -> [Action] {
        guard self.state.hasConnection else { return [] }
        self.mayBeExecuted = self.mayBeExecuted || self.hasSentEnd && loss.leavesDoubt
        let drop = Action.drop(closeCode: loss.isRetryable ? 1001 : 1000)
        // The order of contract yugu, section 10.8.
        guard loss.isRetryable, self.policy != .fail, self.policy != .drop || !self.hasSentEnd else {
            return [drop, .fail(self.fail(.loss, loss))]
        }
        guard self.policy != .replay || self.keptFrom == 0 else {
            return [drop, .fail(self.fail(.bufferOverflow, loss))]
        }
        let delay: Duration
        do {
            delay = try self.schedule.next(random: random())
        } catch {
            return [drop, .fail(self.fail(.reconnectsExhausted, loss))]
        }
        self.state = .reconnecting
        self.disarm()
        self.reconnectDue = now + delay
        if self.policy == .drop, self.hasStarted {
            self.droppedBytes += self.received - self.sent
            self.received = self.sent
            self.keptFrom = self.received
        } else {
            self.sent = 0
        }
        return [drop, .reconnecting(attempt: self.schedule.consecutive, delay: delay, cause: loss)]
    }

    /// A time has come.
    public mutating func fire(at now: Instant, random: @autoclosure () -> Double) -> [Action] {
        guard !self.state.isTerminal else { return [] }
        if let endingDue, endingDue <= now {
            let drop: [Action] = self.state.hasConnection ? [.drop(closeCode: 1000)] : []
            self.mayBeExecuted = self.mayBeExecuted || self.hasSentEnd
            return drop + [.fail(self.fail(.resultTimeout, .resultTimeout))]
        }
        if let reconnectDue, reconnectDue <= now { return self.dial(at: now) }
        if let connectDue, connectDue <= now { return self.lose(.connectTimeout, at: now, random: random()) }
        if let resultDue, resultDue <= now { return self.lose(.resultTimeout, at: now, random: random()) }
        switch self.heartbeat.beat(at: now) {
        case .ping: return [.ping]
        case .dead: return self.lose(.pongMissing, at: now, random: random())
        case nil: return []
        }
    }

    // MARK: Sending

    /// The next stretch of kept audio to send, at most 32,000 bytes; nil when there is none, or nobody to take it.
    ///
    /// Positions count from the first byte that is kept.
    public mutating func nextAudio() -> Range<Int>? {
        guard self.state == .started, self.sent < self.received else { return nil }
        let start = self.sent - self.keptFrom
        let count = min(Self.maximumFrame, self.received - self.sent)
        self.sent += count
        return start..<start + count
    }

    /// All kept audio was sent, or the connection takes no more for now.
    public mutating func noteFlushed(at now: Instant) -> [Action] {
        guard self.state == .started, self.sent == self.received else { return [] }
        self.isFlushing = false
        if self.policy != .replay || self.received > self.configuration.audioLimit { self.keptFrom = self.received }
        return self.sendEndIfDue(at: now)
    }

    /// Whether audio that was kept may still be wanted.
    public var keepsAudio: Bool {
        !self.state.isTerminal && self.keptFrom < self.received
    }

    /// Audio could not be kept: there is no room.
    ///
    /// - Returns: The round's failure, when it cannot go on without.
    public mutating func loseKeptAudio() -> Failure? {
        guard !self.state.isTerminal else { return nil }
        guard self.state == .started || self.state == .ending, !self.isFlushing else {
            return self.fail(.bufferOverflow, nil)
        }
        self.keptFrom = self.received
        return nil
    }

    // MARK: Steps

    private mutating func dial(at now: Instant) -> [Action] {
        self.state = .connecting
        self.reconnectDue = nil
        self.connectDue = now + self.configuration.connectTimeout
        return [.dial]
    }

    private mutating func start(at now: Instant) -> [Action] {
        let isReconnect = self.schedule.consecutive > 0
        self.state = .started
        self.hasStarted = true
        self.connectDue = nil
        self.schedule.noteSuccess()
        self.heartbeat.start(at: now)
        var actions: [Action] = []
        if isReconnect {
            if self.policy == .drop { self.progress.reset() }
            actions.append(.reconnected(droppedBytes: self.droppedBytes))
            self.droppedBytes = 0
        }
        guard self.sent == self.received else {
            self.isFlushing = true
            return actions + [.sendAudio]
        }
        return actions + self.noteFlushed(at: now)
    }

    private mutating func sendEndIfDue(at now: Instant) -> [Action] {
        guard self.isEndRequested, self.state == .started, !self.isFlushing else { return [] }
        self.state = .ending
        self.hasSentEnd = true
        self.resultDue = now + self.configuration.resultTimeout
        if self.endingDue == nil { self.endingDue = now + self.configuration.endingTimeout }
        return [.sendEnd]
    }

    private mutating func disarm() {
        self.connectDue = nil
        self.resultDue = nil
        self.heartbeat.stop()
        self.hasSentEnd = false
        self.isFlushing = false
        self.startsAwaited = 0
    }

    private mutating func fail(_ reason: Failure.Reason, _ loss: Loss?) -> Failure {
        self.state = .failed
        return Failure(reason: reason, loss: loss, mayBeExecuted: self.mayBeExecuted)
    }
}
