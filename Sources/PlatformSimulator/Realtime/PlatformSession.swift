import HTTPWire

/// One realtime connection as the platform has it (contract yugu, section 10).
///
/// A pure state machine: frames and facts in, frames and wishes out. It waits for nothing and knows no socket.
struct PlatformSession: ~Copyable {
    /// Which of the two languages is spoken.
    enum Dialect: Hashable, Sendable {
        case native
        case compat(CompatName)
    }

    /// What a session begins with.
    struct Opening: Sendable {
        var dialect: Dialect
        var caller: Caller
        /// The key of the handshake's query, for rounds that bring none of their own.
        var key: String?
        /// The resets before it.
        var epoch: Int
        var fault: SessionFault?
    }

    /// What is to happen when a time is over.
    enum Wait: Hashable, Sendable {
        case connected
        case started
        case result
    }

    /// What is to be done.
    enum Action: Sendable {
        /// Send a text frame.
        case send([UInt8])
        /// Call ``waited(for:)`` after this time.
        case wait(Duration, Wait)
        /// Evaluate, and call ``evaluated(_:)`` with the outcome.
        case evaluate(PaidRequest, key: String?)
        /// Send a close frame.
        case close(WebSocketClose)
        /// Reset the connection.
        case kill
        /// Read and write nothing any more.
        case freeze
        /// Write ``summary`` down: something of interest has happened.
        case note
    }

    enum State {
        case opening
        /// Waiting for the parameters of a round.
        case idle
        case starting
        case receiving
        case evaluating
        /// The result is there and waits for its time.
        case delivering([UInt8])
        case over
    }

    let opening: Opening
    var state = State.opening
    var round = Round()
    var audioBytes = 0
    private var frames = 0
    private var isMute = false
    private var hasErred = false

    /// What has happened so far.
    var summary = SimulatedSession()

    init(_ opening: Opening) {
        self.opening = opening
    }

    // MARK: Events

    /// The handshake has been answered.
    mutating func open() -> [Action] {
        switch self.opening.fault {
        case .at(.open, let effect)?: return self.perform(effect)
        case .delayConnected(let pause)?: return [.wait(pause, .connected)]
        default: return self.waited(for: .connected)
        }
    }

    /// A time is over.
    mutating func waited(for wait: Wait) -> [Action] {
        guard !self.isMute else { return [] }
        switch (wait, self.state) {
        case (.connected, .opening):
            self.state = .idle
            return [.send(SessionFrame.connected(self.opening.dialect))]
        case (.started, .starting):
            self.state = .receiving
            return [.send(SessionFrame.started(self.opening.dialect)), .note]
        case (.result, .delivering(let frame)):
            return self.deliver(frame)
        default:
            return []
        }
    }

    /// A message has come.
    ///
    /// - Parameter now: In Unix milliseconds.
    mutating func receive(_ message: WebSocketMessage, now: Int) -> [Action] {
        if case .over = self.state { return [] }
        self.frames += 1
        guard !self.isMute else { return [] }
        guard case .at(.frame(self.frames), let effect)? = self.opening.fault else {
            return self.take(message, now: now)
        }
        switch effect {
        case .kill, .close, .silent, .freeze: return self.perform(effect)
        case .error, .say: return self.take(message, now: now) + self.perform(effect)
        }
    }

    /// An evaluation that was asked for has ended.
    mutating func evaluated(_ outcome: Result<Reply, PlatformError>) -> [Action] {
        guard case .evaluating = self.state else { return [] }
        self.state = .idle
        guard !self.isMute else { return [] }
        switch outcome {
        case .failure(let error):
            return self.refuse(error)
        case .success(let reply):
            self.summary.recordID = reply.recordID
            self.summary.isReplayed = reply.isReplayed
            switch self.opening.fault {
            case .at(.billed, let effect)?:
                return self.perform(effect) + [.note]
            case .delayResult(let pause)?:
                self.state = .delivering(SessionFrame.result(reply))
                return [.wait(pause, .result), .note]
            default:
                return self.deliver(SessionFrame.result(reply))
            }
        }
    }

    /// The connection has ended; whatever was not evaluated is forgotten.
    mutating func end(_ end: WebSocketEnd) {
        self.end()
        switch end {
        case .closedByPeer(let close):
            self.summary.closedBy = .client
            self.summary.closeCode = close.code.map { Int($0.rawValue) }
        case .closed(let close):
            self.summary.closedBy = .platform
            self.summary.closeCode = close.code.map { Int($0.rawValue) }
        case .violated(let error):
            self.summary.closedBy = .platform
            self.summary.closeCode = Int(error.closeCode.rawValue)
        case .lost(.aborted):
            self.summary.closedBy = .platform
        case .lost:
            self.summary.closedBy = .client
        }
    }

    private mutating func end() {
        self.state = .over
        self.summary.audioBytes = self.audioBytes
    }

    // MARK: Faults

    /// Lets something go wrong.
    private mutating func perform(_ effect: SessionFault.Effect) -> [Action] {
        switch effect {
        case .kill:
            self.end()
            return [.kill]
        case .close(let code):
            self.end()
            return [.close(WebSocketClose(code, reason: "injected fault"))]
        case .error(let code):
            self.summary.code = code
            return [.send(SessionFrame.error(code, "injected fault")), .note]
        case .say(let text):
            return [.send(Array(text.utf8))]
        case .silent:
            self.isMute = true
            return []
        case .freeze:
            self.isMute = true
            return [.freeze]
        }
    }

    /// What goes wrong in place of an evaluation.
    mutating func faultAtEnd() -> [Action]? {
        guard case .at(.end, let effect)? = self.opening.fault else { return nil }
        self.state = .idle
        return self.perform(effect)
    }

    /// What goes wrong once enough audio has come, once.
    mutating func faultAtBytes() -> [Action] {
        guard case .at(.bytes(let count), let effect)? = self.opening.fault, !self.hasErred, self.audioBytes >= count
        else { return [] }
        self.hasErred = true
        return self.perform(effect)
    }

    // MARK: Answers

    /// An error of the platform's table; the session goes on.
    mutating func refuse(_ error: PlatformError) -> [Action] {
        self.summary.code = error.code
        return [.send(SessionFrame.error(error.code, error.message)), .note]
    }

    private mutating func deliver(_ frame: [UInt8]) -> [Action] {
        let progress = self.lastProgress()
        self.state = .idle
        self.summary.results += 1
        return progress + [.send(frame), .note]
    }
}

/// What became of a realtime session, for tests to look at.
public struct SimulatedSession: Hashable, Sendable {
    /// One of its two sides.
    public enum Side: String, Sendable {
        /// The one that dialled.
        case client
        /// The simulator, by a fault or for a frame that was too large.
        case platform
    }

    /// How many rounds were started.
    public internal(set) var rounds = 0
    /// How many end frames led to an evaluation or a replay.
    public internal(set) var ends = 0
    /// How many results were sent.
    public internal(set) var results = 0
    /// The bytes of audio that came.
    public internal(set) var audioBytes = 0
    /// Who ended it; nil while it is open.
    public internal(set) var closedBy: Side?
    /// The code of the close frame; nil where there was none.
    public internal(set) var closeCode: Int?

    /// The key of the last round.
    var key: String?
    /// The record of the last evaluation.
    var recordID: String?
    /// Whether that was a replay.
    var isReplayed = false
    /// The code of the last error frame.
    var code: Int?

    init() {}
}
