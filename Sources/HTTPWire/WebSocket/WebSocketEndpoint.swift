/// One end of a connection, without its socket: frames, queues, back-pressure, deadlines and the closing handshake
/// (RFC 6455, sections 5 to 7).
///
/// A carrier tells it what the socket says and performs what it wants; both ends of it are the same, be the carrier a
/// server's connection or a client's. While nothing is under way it owns no buffer: what was received goes straight to
/// whoever waits for it, and what is sent straight to the socket.
///
/// ## Topics
/// ### For the carrier
/// - ``received(_:)``, ``inputEnded()``, ``disconnected()``, ``writable()``, ``expired()``
/// - ``wantsInput``, ``wantsOutput``, ``mayFinishWriting``, ``isOver``, ``deadline``
/// ### For whoever talks
/// - ``WebSocketChannel``
///
/// `@unchecked Sendable`: confined to the loop of its carrier, which preconditions check.
public final class WebSocketEndpoint: WebSocketChannel, @unchecked Sendable {
    let configuration: WebSocketConfiguration
    let encoder: WebSocketEncoder
    let share: WebSocketLoopShare
    /// What it may keep, with others.
    let budget: WebSocketBudget
    /// Its socket, to be set at once; weak, as the carrier owns the endpoint, and may be gone while somebody still holds
    /// this end of a lost connection.
    public weak var carrier: (any WebSocketCarrier)?

    var machine: WebSocketStateMachine
    var incoming = WebSocketIncoming()
    var outgoing = WebSocketOutgoing()
    var pings = WebSocketPings()
    private var parser: WebSocketParser
    private var inputHasEnded = false
    private var isFrozen = false
    private var enders: [CheckedContinuation<WebSocketEnd, Never>] = []

    /// Makes an end of a connection that has been opened just now.
    ///
    /// - Parameters:
    ///   - encoder: That of a server or of a client, which also says what is read.
    ///   - configuration: How it behaves.
    ///   - share: What the loop's connections share.
    ///   - budget: What it may keep with the others of its owner; nil for a connection without one.
    ///   - now: The time.
    public init(
        _ encoder: WebSocketEncoder,
        configuration: WebSocketConfiguration,
        share: WebSocketLoopShare,
        budget: WebSocketBudget? = nil,
        at now: ContinuousClock.Instant
    ) {
        self.encoder = encoder
        self.configuration = configuration
        self.share = share
        self.budget = budget ?? share.budget
        self.machine = WebSocketStateMachine(configuration, at: now)
        self.parser = WebSocketParser(role: encoder.role, limits: configuration.limits)
    }

    deinit {
        self.budget.giveBack(self.incoming.keptBytes + self.outgoing.keptBytes)
    }

    // MARK: - What the carrier is to do

    /// Whether the socket is to be read.
    public var wantsInput: Bool {
        guard !self.inputHasEnded, !self.isFrozen else { return false }
        return switch self.machine.phase {
        // A message that has not ended is never too much, whatever its size: nobody could take it.
        case .open: self.incoming.isEmpty || self.incoming.keptBytes < self.configuration.receiveBuffer
        case .closing, .ending: true
        case .over: false
        }
    }

    /// Whether bytes wait for the socket.
    public var wantsOutput: Bool { !self.outgoing.isEmpty && self.machine.phase != .over && !self.isFrozen }

    /// Whether this end has said all that it will ever say; a server then ends its sending side, and the other end
    /// closes the connection below (RFC 6455, section 7.1.1).
    public var mayFinishWriting: Bool { self.machine.phase == .ending && self.outgoing.isEmpty }

    /// Whether the connection below is to be closed.
    public var isOver: Bool { self.machine.phase == .over }

    /// When to call ``expired()``; nil for never.
    public var deadline: ContinuousClock.Instant? {
        guard let waiting = self.pings.deadline else { return self.machine.deadline }
        return self.machine.deadline.map { min($0, waiting) } ?? waiting
    }

    // MARK: - Facts

    /// Bytes came from the socket.
    ///
    /// - Parameter bytes: Lent for the time of the call, unmasked in place.
    public func received(_ bytes: UnsafeMutableRawBufferPointer) {
        guard let now = self.carrier?.now else { return }
        self.machine.heard()
        var position = 0
        do throws(WebSocketError) {
            while self.machine.phase == .open || self.machine.phase == .closing,
                let event = try self.parser.next(in: bytes, at: &position)
            {
                self.take(event, at: now)
            }
        } catch {
            self.fail(.violated(error), WebSocketClose(error.closeCode, reason: error.message))
        }
        self.noteReading()
    }

    /// The other end ended its sending side.
    public func inputEnded() {
        self.inputHasEnded = true
        // What is still to be written in the ending phase may yet be read.
        guard self.machine.phase != .ending || self.outgoing.isEmpty else { return }
        self.lose(.disconnected)
    }

    /// The connection below was reset.
    public func disconnected() {
        self.lose(.disconnected)
    }

    /// A deadline has come, perhaps.
    public func expired() {
        guard let now = self.carrier?.now else { return }
        self.pings.expire(at: now)
        switch self.machine.expired(at: now) {
        case .nothing: break
        case .ping: self.write { self.encoder.encode(.ping, self.pings.next(), into: &$0) }
        case .lose(let loss): self.lose(loss)
        case .finish: self.lose(.disconnected)
        }
    }

    private func take(_ event: WebSocketEvent, at now: ContinuousClock.Instant) {
        switch event {
        case .data(let kind, let bytes, let endsMessage):
            guard self.machine.phase == .open else { return }
            if endsMessage { self.share.countReceived() }
            if !self.incoming.take(kind, bytes, endsMessage: endsMessage, budget: self.budget) {
                self.failForWantOfRoom()
            }
        case .ping(let bytes):
            guard self.configuration.answersPings else { return }
            // Only the latest ping needs an answer (section 5.5.3), so one at most waits for the socket.
            if self.outgoing.isEmpty {
                self.write { self.encoder.encode(.pong, bytes, into: &$0) }
            } else {
                self.outgoing.latestPing = bytes
            }
        case .pong(let bytes):
            self.pings.answered(bytes)
        case .close(let close):
            let answer = self.machine.receivedClose(close, at: now)
            if let answer { self.write { self.encoder.encode(answer, into: &$0) } }
            self.announceEnd()
        }
    }

    // MARK: - Ends

    /// How the connection ended; nil while it is open or closing.
    public var end: WebSocketEnd? { self.machine.end }

    /// Returns when the connection is over.
    public func untilEnd() async -> WebSocketEnd {
        self.checkLoop()
        if let end = self.machine.end { return end }
        return await withCheckedContinuation { continuation in
            // On the way here other tasks of the loop may have had their turn.
            guard let end = self.machine.end else { return self.enders.append(continuation) }
            continuation.resume(returning: end)
        }
    }

    /// Begins to close the connection, behind what was sent.
    public func close(_ close: WebSocketClose) {
        self.checkLoop()
        guard let carrier = self.carrier, self.machine.close(close, at: carrier.now) else { return }
        self.write { self.encoder.encode(close, into: &$0) }
        self.outgoing.letSendersGo()
        self.pings.giveUp()
        self.carrier?.endpointChanged()
    }

    /// Drops the connection without a word.
    public func abort() {
        self.checkLoop()
        self.lose(.aborted)
        self.carrier?.endpointChanged()
    }

    /// Reads and writes nothing any more, whatever comes: to the other end the link is dead; only who plays a broken peer
    /// does so.
    package func freeze() {
        self.checkLoop()
        guard let carrier = self.carrier else { return }
        self.isFrozen = true
        self.outgoing.drop(self.budget)
        self.machine.wroteSome(isAll: true, at: carrier.now)
        self.noteReading()
        carrier.endpointChanged()
    }

    private func failForWantOfRoom() {
        self.fail(.lost(.overloaded), WebSocketClose(.tryAgainLater, reason: "There is no memory left for this."))
    }

    private func fail(_ end: WebSocketEnd, _ close: WebSocketClose) {
        guard let now = self.carrier?.now else { return }
        if self.machine.fail(end, at: now) { self.write { self.encoder.encode(close, into: &$0) } }
        self.announceEnd()
    }

    private func lose(_ loss: WebSocketEnd.Loss) {
        self.machine.lose(loss)
        self.outgoing.drop(self.budget)
        self.announceEnd()
    }

    private func announceEnd() {
        guard let end = self.machine.end else { return }
        self.incoming.finish(self.budget)
        self.outgoing.letSendersGo()
        self.pings.giveUp()
        let enders = self.enders
        self.enders = []
        for ender in enders { ender.resume(returning: end) }
    }

    // MARK: - Writing

    /// Writes a frame: to the socket if nothing waits for it, else behind what does.
    func write(_ encode: (inout [UInt8]) -> Void) {
        guard let carrier = self.carrier, self.machine.phase != .over, !self.isFrozen else { return }
        let hasRoom: Bool
        if self.outgoing.isEmpty {
            hasRoom = self.share.encode(encode) { bytes in
                guard let taken = carrier.write(bytes) else {
                    self.lose(.disconnected)
                    return true
                }
                guard taken < bytes.count else { return true }
                self.machine.stalled(at: carrier.now)
                return self.outgoing.keep(bytes[taken...], budget: self.budget)
            }
        } else {
            hasRoom = self.share.encode(encode) { self.outgoing.keep($0[...], budget: self.budget) }
        }
        // The other end does not read: no close would reach it.
        if !hasRoom { self.lose(.overloaded) }
    }

    /// The socket takes bytes again.
    public func writable() {
        guard let carrier = self.carrier else { return }
        while !self.outgoing.isEmpty {
            guard let taken = self.outgoing.lend(carrier.write) else {
                self.lose(.disconnected)
                return
            }
            guard taken > 0 else { break }
            self.outgoing.left(taken, budget: self.budget)
            self.machine.wroteSome(isAll: self.outgoing.isEmpty, at: carrier.now)
        }
        if self.outgoing.isEmpty, let ping = self.outgoing.latestPing {
            self.outgoing.latestPing = nil
            self.write { self.encoder.encode(.pong, ping, into: &$0) }
        }
        if self.outgoing.waitingBytes <= self.configuration.sendBuffer { self.outgoing.letSendersGo() }
        if self.inputHasEnded, self.mayFinishWriting { self.lose(.disconnected) }
    }

    func checkLoop() {
        precondition(self.carrier?.isCurrent ?? true, "a WebSocket is used outside of its connection's loop")
    }

    func noteReading() {
        guard let now = self.carrier?.now else { return }
        self.machine.reads(self.wantsInput, at: now)
    }
}
