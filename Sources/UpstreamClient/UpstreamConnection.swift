internal import EventLoop
internal import HTTPWire

/// One HTTP/1.1 connection to a platform, which carries one exchange after the other.
///
/// libcurl opens it and moves its bytes; what they mean is decided here, so that a request is on its way exactly as
/// often as this says.
///
/// Its dial keeps it alive until it is closed.
///
/// `@unchecked Sendable`: confined to the loop of its pool.
final class UpstreamConnection: CurlDialOwner, @unchecked Sendable {
    // Readings and writings of one connection before the others have their turn.
    private static let readsPerTurn = 8
    private static let writesPerTurn = 8

    /// What it leads to.
    let origin: ConnectionPool.Origin

    private let pool: ConnectionPool
    private var dial: CurlDial?
    private var exchange: Exchange?
    /// Whether it has carried an exchange before the one that it carries.
    private var isReused = false
    /// Its exchange is to be sent at the end of the turn.
    private var isWaitingToSend = false
    /// Nothing more can be sent; an answer may have come all the same.
    private var isBroken = false
    private var isReadScheduled = false
    private var idleDeadline: EventLoop.Instant?
    private var timer = DeadlineTimer()

    init(to origin: ConnectionPool.Origin, of pool: ConnectionPool) {
        self.origin = origin
        self.pool = pool
    }

    private var loop: EventLoop { self.pool.loop }

    /// Begins to connect, for an exchange.
    func open(on multi: CurlMulti, for exchange: Exchange) {
        self.exchange = exchange
        exchange.began(on: self)
        self.armTimer(exchange.deadline)
        self.dial = CurlDial(
            self.origin.url,
            isSecure: self.origin.isSecure,
            isPublicOnly: self.origin.isPublicOnly,
            timeout: max(.milliseconds(1), self.loop.now.duration(to: exchange.deadline)),
            receiveBuffer: self.loop.scratch.bytes.count,
            on: multi,
            owner: self
        )
    }

    /// Carries another exchange.
    func carry(_ exchange: Exchange) {
        self.exchange = exchange
        self.idleDeadline = nil
        exchange.began(on: self)
        self.armTimer(exchange.deadline)
        self.isWaitingToSend = true
        // The requests of a turn leave together: each wakes the platform's end, which takes the core from the rest of the
        // turn where the two share one.
        self.loop.atEndOfTurn { self.sendNow() }
    }

    /// The turn has come to its end.
    private func sendNow() {
        guard self.isWaitingToSend, let dial = self.dial else { return }
        self.isWaitingToSend = false
        if dial.isQuiet { self.send() } else { self.handOver() }
    }

    /// Leaves the exchange to another connection, before anything was sent.
    ///
    /// This one has ended, or has brought bytes that nobody asked for, which would be taken for the answer.
    private func handOver() {
        guard let exchange = self.exchange else { return self.close() }
        self.close()
        self.pool.carry(exchange)
    }

    // MARK: - Events

    func dialEnded(_ failure: HTTPTransportError?) {
        guard let exchange = self.exchange else { return self.close() }
        guard let failure else { return self.send() }
        self.close()
        // The time for a connection is up before that of the exchange.
        let isEarly = failure.reason == .timeout && self.loop.now < exchange.deadline
        exchange.finish(isEarly ? .connect : failure.reason, failure.detail)
    }

    func dialIsReady(_ events: EpollEvents) {
        guard self.exchange != nil else {
            // Its end, or bytes that nobody asked for.
            self.pool.remove(self)
            return self.close()
        }
        if self.isWaitingToSend { return self.handOver() }
        if events.contains(.writable) { self.send() }
        guard !events.isDisjoint(with: [.readable, .hangup, .error]) else { return }
        if self.exchange?.isHeld ?? true {
            guard !events.isDisjoint(with: [.hangup, .error]) else { return }
            // It would be reported for ever; what has come is read when its reader goes on.
            self.isBroken = true
            self.dial?.ignore()
        } else {
            self.read()
        }
    }

    /// Goes on reading what its reader had no room for.
    func goOn() {
        self.scheduleRead()
    }

    // MARK: - The request

    private func send() {
        guard let dial = self.dial, let exchange = self.exchange, !self.isBroken else { return }
        let scratch = self.loop.scratch.bytes
        for _ in 0..<Self.writesPerTurn where !exchange.writer.isDone {
            guard let count = exchange.writer.copy(into: scratch) else {
                return self.fail(.refused, "the content of the request could not be read from its file")
            }
            exchange.writer.offer(count)
            guard let sent = dial.send(UnsafeRawBufferPointer(rebasing: scratch[..<count])) else {
                // The answer, or the lack of one, says why.
                self.isBroken = true
                self.scheduleRead()
                break
            }
            exchange.writer.advance(sent)
            if sent < count { break }
        }
        self.watch()
    }

    /// Says what is waited for by now.
    private func watch() {
        guard let dial = self.dial else { return }
        if self.isBroken { return dial.ignore() }
        var interest: EpollInterest = []
        if !(self.exchange?.isHeld ?? false) { interest.insert(.readable) }
        if let exchange = self.exchange, !exchange.writer.isDone { interest.insert(.writable) }
        dial.watch(interest)
    }

    // MARK: - The answer

    private func read() {
        let scratch = self.loop.scratch.bytes
        for _ in 0..<Self.readsPerTurn {
            guard let dial = self.dial, let exchange = self.exchange, !exchange.isHeld else { return self.watch() }
            switch dial.receive(into: scratch) {
            case .bytes(let count):
                guard self.take(UnsafeRawBufferPointer(rebasing: scratch[..<count]), for: exchange) else { return }
                // What is left in the socket is reported again, and asking costs a system call.
                if !self.isBroken, count < scratch.count, !dial.holdsBytes { return self.watch() }
            case .nothing:
                if self.isBroken { return self.fail(.reset, "the connection broke before the answer was complete") }
                return self.watch()
            case .end: return self.end()
            case .failure: return self.fail(.reset, "the connection broke before the answer was complete")
            }
        }
        self.scheduleRead()
    }

    /// Reads without being asked to, for what no event tells of.
    private func scheduleRead() {
        guard !self.isReadScheduled, self.dial != nil else { return }
        self.isReadScheduled = true
        self.loop.execute {
            self.isReadScheduled = false
            // Another exchange may have begun meanwhile, whose request has not left.
            if self.exchange != nil, !self.isWaitingToSend { self.read() }
        }
    }

    /// False when the exchange is over.
    private func take(_ bytes: UnsafeRawBufferPointer, for exchange: Exchange) -> Bool {
        let used: Int
        do throws(AnswerReader.Fault) {
            used = try exchange.take(bytes)
        } catch {
            switch error {
            case .malformed(let what): self.fail(.malformed, what)
            case .tooLarge(let what): self.fail(.tooLarge, what)
            }
            return false
        }
        guard exchange.reader.isComplete else { return true }
        // Bytes behind the end would be taken for the next answer, and the rest of a request for the next one.
        let isUsable =
            used == bytes.count && exchange.writer.isDone && !self.isBroken
            && exchange.reader.head.isPersistent && self.dial?.holdsBytes == false
        if isUsable { self.rest() } else { self.close() }
        exchange.finish()
        return false
    }

    private func end() {
        guard let exchange = self.exchange else { return self.close() }
        // TLS says what an end is. On a plain connection a reset that a write has met looks like one to whoever reads.
        let isOrderly = self.origin.isSecure ? self.dial?.hasOrderlyEnd ?? false : !self.isBroken
        if exchange.takeEnd(isOrderly: isOrderly) {
            self.close()
            return exchange.finish()
        }
        guard exchange.reader.hasBegun else { return self.fail(.reset, "the connection ended without an answer") }
        self.fail(.malformed, "the answer breaks off")
    }

    private func fail(_ reason: HTTPTransportError.Reason, _ detail: String) {
        guard let exchange = self.exchange else { return self.close() }
        let mayRepeat = reason == .reset && self.isReused && exchange.mayRepeat()
        self.close()
        if mayRepeat { exchange.repeatOnNewConnection() } else { exchange.finish(reason, detail) }
    }

    // MARK: - Between exchanges

    private func rest() {
        self.exchange = nil
        self.isReused = true
        let deadline = self.loop.roundTime + self.pool.configuration.idleTimeout
        self.idleDeadline = deadline
        self.armTimer(deadline)
        self.watch()
        self.pool.keep(self)
    }

    /// Closes the connection, or gives up to open it; its exchange hears nothing.
    ///
    /// Idempotent.
    func close() {
        self.exchange = nil
        self.isWaitingToSend = false
        self.idleDeadline = nil
        self.timer.cancel(on: self.loop)
        let dial = self.dial
        self.dial = nil
        dial?.hangUp()
    }

    // MARK: - Time

    private func armTimer(_ deadline: EventLoop.Instant) {
        self.timer.arm(by: deadline, on: self.loop) {
            self.timer.noteFired()
            self.expired()
        }
    }

    private func expired() {
        guard let deadline = self.exchange?.deadline ?? self.idleDeadline else { return }
        guard deadline <= self.loop.now else { return self.armTimer(deadline) }
        if self.exchange != nil { return self.fail(.timeout, "no complete answer within the time of the exchange") }
        self.pool.remove(self)
        self.close()
    }
}
