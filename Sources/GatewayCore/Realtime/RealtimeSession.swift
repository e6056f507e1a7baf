/// One round of realtime evaluation at the platform: over as many connections as it takes (contract yugu, section 10).
///
/// A value without clock, timer or socket. Its methods are facts, its results what the shell does about them. It knows
/// audio by position only; the bytes are the shell's. After each call, look at ``deadline`` and come back with
/// ``fire(at:random:)`` then.
///
/// ## Topics
/// - The client's side: ``open(at:)``, ``receiveAudio(_:)``, ``restart(at:)``, ``requestEnd(at:)``, ``cancel()``
/// - The platform's side: ``receive(_:at:random:)``, ``notePong()``, ``noteEndArrived()``, ``lose(_:at:random:)``,
///   ``takeOver(at:)``
/// - Sending: ``nextAudio()``, ``noteFlushed(at:)``, ``loseKeptAudio()``
public struct RealtimeSession: Sendable {
    /// The clock of all deadlines.
    public typealias Instant = ContinuousClock.Instant

    /// Where the round stands.
    public private(set) var state = State.idle
    private let configuration: Configuration
    private let policy: BufferPolicy
    private var schedule: ReconnectSchedule
    private var heartbeat: Heartbeat
    private var progress = ProgressFilter()
    private var audio: RoundAudio
    /// Whether the platform has accepted the parameters of this round on any connection.
    private var hasStarted = false
    /// `started` frames that are still to come: one for each parameter frame sent.
    private var startsAwaited = 0
    private var end = RoundEnd()
    private var due = RoundTimes()

    /// Takes what a round is made of.
    public init(configuration: Configuration = Configuration(), policy: BufferPolicy = .replay) {
        self.configuration = configuration
        self.policy = policy
        self.schedule = ReconnectSchedule(configuration: configuration)
        self.heartbeat = Heartbeat(interval: configuration.pingInterval, timeout: configuration.pongTimeout)
        self.audio = RoundAudio(policy: policy, limit: configuration.audioLimit)
    }

    /// When to call ``fire(at:random:)`` next, unless something else happens before.
    public var deadline: Instant? {
        self.state.isTerminal ? nil : self.due.earliest(with: self.heartbeat.deadline)
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
        if self.state == .started, !self.audio.isFlushing { return .send(keeping: self.audio.pass(count)) }
        if self.policy == .drop, self.hasStarted, self.state != .started {
            self.audio.drop(count)
            return .discard
        }
        // Without a connection that takes it, what is too much can never get through.
        guard self.audio.keep(count, isMoving: self.state == .started) else {
            return .fail(self.fail(.bufferOverflow, nil))
        }
        return .keep
    }

    /// Whether no more audio should be taken from the client for now.
    public var isFull: Bool { self.audio.isFull }

    /// The client begins the round anew, with parameters of its own: what it sent before counts no longer.
    public mutating func restart(at now: Instant) -> [Action] {
        guard !self.end.isRequested, !self.state.isTerminal else { return [] }
        self.audio.restart()
        self.hasStarted = false
        self.progress.reset()
        guard self.state == .connected || self.state == .started else { return [] }
        self.state = .connected
        self.startsAwaited += 1
        self.due.connect = now + self.configuration.connectTimeout
        return [.sendStart]
    }

    /// The round's audio is complete, and its end may go to the platform.
    public mutating func requestEnd(at now: Instant) -> [Action] {
        guard !self.end.isRequested, !self.state.isTerminal else { return [] }
        self.end.isRequested = true
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
            guard let refusal = self.end.judge(refusal) else {
                if self.due.refusal == nil { self.due.refusal = now + self.configuration.refusalTimeout }
                return []
            }
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

    /// The platform has all that was sent before the end.
    public mutating func noteEndArrived() {
        self.end.arrive()
    }

    /// The connection is of no more use.
    public mutating func lose(_ loss: Loss, at now: Instant, random: @autoclosure () -> Double) -> [Action] {
        guard self.state.hasConnection else { return [] }
        self.end.lose(loss)
        let drop = Action.drop(closeCode: loss.isRetryable ? 1001 : 1000)
        // The order of contract yugu, section 10.8.
        guard loss.isRetryable, self.policy != .fail, self.policy != .drop || !self.end.isSent else {
            return [drop, .fail(self.fail(.loss, self.end.earlyRefusal.map { .refusal($0) } ?? loss))]
        }
        guard self.policy != .replay || self.audio.isWhole else {
            return [drop, .fail(self.fail(.bufferOverflow, loss))]
        }
        guard let delay = try? self.schedule.next(random: random()) else {
            return [drop, .fail(self.fail(.reconnectsExhausted, loss))]
        }
        self.state = .reconnecting
        self.rewind()
        self.due.reconnect = now + delay
        return [drop, .reconnecting(attempt: self.schedule.consecutive, delay: delay, cause: loss)]
    }

    /// Whether another connection could get all of the round.
    public var isReplayable: Bool {
        self.audio.isWhole && (self.policy == .replay || self.audio.isUnsent)
    }

    /// The account that carries the round may not: another one takes it over at once, outside of the schedule.
    ///
    /// - Returns: Nil when the platform may have evaluated the round, or when what was said is no longer there.
    public mutating func takeOver(at now: Instant) -> [Action]? {
        guard self.state.hasConnection, !self.end.isSent, !self.end.mayBeExecuted,
            self.isReplayable || self.policy == .drop
        else { return nil }
        self.rewind()
        return [.drop(closeCode: 1001)] + self.dial(at: now)
    }

    /// A time has come.
    public mutating func fire(at now: Instant, random: @autoclosure () -> Double) -> [Action] {
        guard !self.state.isTerminal else { return [] }
        if let time = self.due.ending, time <= now {
            let drop: [Action] = self.state.hasConnection ? [.drop(closeCode: 1000)] : []
            self.end.giveUp()
            return drop + [.fail(self.fail(.resultTimeout, .resultTimeout))]
        }
        if let time = self.due.reconnect, time <= now { return self.dial(at: now) }
        if let time = self.due.refusal, time <= now, let refusal = self.end.earlyRefusal {
            self.end.giveUp()
            return [.drop(closeCode: 1000), .fail(self.fail(.loss, .refusal(refusal)))]
        }
        if let time = self.due.connect, time <= now { return self.lose(.connectTimeout, at: now, random: random()) }
        if let time = self.due.result, time <= now { return self.lose(.resultTimeout, at: now, random: random()) }
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
        self.state == .started ? self.audio.next() : nil
    }

    /// All kept audio was sent, or the connection takes no more for now.
    public mutating func noteFlushed(at now: Instant) -> [Action] {
        guard self.state == .started, self.audio.isSent else { return [] }
        self.audio.noteFlushed()
        return self.sendEndIfDue(at: now)
    }

    /// Whether audio that was kept may still be wanted.
    public var keepsAudio: Bool {
        !self.state.isTerminal && self.audio.isKept
    }

    /// Audio could not be kept: there is no room.
    ///
    /// - Returns: The round's failure, when it cannot go on without.
    public mutating func loseKeptAudio() -> Failure? {
        guard !self.state.isTerminal else { return nil }
        guard self.state == .started || self.state == .ending, !self.audio.isFlushing else {
            return self.fail(.noRoom, nil)
        }
        self.audio.forget()
        return nil
    }

    // MARK: Steps

    private mutating func dial(at now: Instant) -> [Action] {
        self.state = .connecting
        self.due.reconnect = nil
        self.due.connect = now + self.configuration.connectTimeout
        return [.dial]
    }

    private mutating func start(at now: Instant) -> [Action] {
        let isReconnect = self.hasStarted || self.schedule.consecutive > 0
        self.state = .started
        self.hasStarted = true
        self.due.connect = nil
        self.schedule.noteSuccess()
        self.heartbeat.start(at: now)
        var actions: [Action] = []
        if isReconnect {
            if self.policy == .drop { self.progress.reset() }
            actions.append(.reconnected(droppedBytes: self.audio.takeDroppedBytes()))
        }
        guard self.audio.isSent else {
            self.audio.isFlushing = true
            return actions + [.sendAudio]
        }
        return actions + self.noteFlushed(at: now)
    }

    private mutating func sendEndIfDue(at now: Instant) -> [Action] {
        guard self.end.isRequested, self.state == .started, !self.audio.isFlushing else { return [] }
        self.state = .ending
        self.end.send()
        self.due.result = now + self.configuration.resultTimeout
        if self.due.ending == nil { self.due.ending = now + self.configuration.endingTimeout }
        return [.sendEnd]
    }

    private mutating func rewind() {
        self.audio.rewind(hasStarted: self.hasStarted)
        self.end.rewind()
        self.due.clear()
        self.heartbeat.stop()
        self.startsAwaited = 0
    }

    private mutating func fail(_ reason: Failure.Reason, _ loss: Loss?) -> Failure {
        self.state = .failed
        return Failure(reason: reason, loss: loss, mayBeExecuted: self.end.mayBeExecuted)
    }
}
