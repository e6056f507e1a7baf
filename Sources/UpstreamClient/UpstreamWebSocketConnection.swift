internal import EventLoop
internal import HTTPWire

/// The client's end of a WebSocket connection: performs what ``HTTPWire/WebSocketEndpoint`` decides, over libcurl.
///
/// Its dial keeps it alive until the connection is over.
///
/// `@unchecked Sendable`: confined to its loop.
final class UpstreamWebSocketConnection: WebSocketCarrier, CurlDialOwner, @unchecked Sendable {
    // Reads of one connection before the others have their turn.
    private static let readsPerTurn = 8
    /// The most bytes of one reading: a large message of one connection does not hold up the small ones of others.
    static let receiveBuffer = 16 << 10

    /// What is talked to.
    let endpoint: WebSocketEndpoint

    private let dial: CurlDial
    private var timer = DeadlineTimer()
    /// Whether the socket was to be read when that was last asked.
    private var wasReading = true
    /// The connection is broken; what it has brought is still to be read.
    private var isBroken = false
    private var isReadScheduled = false
    private var isClosing = false
    private var isOver = false

    init(_ dial: CurlDial, _ configuration: WebSocketConfiguration, on shared: WebSocketLoop) {
        self.dial = dial
        self.endpoint = WebSocketEndpoint(
            shared.encoder,
            configuration: configuration,
            share: shared.share,
            at: shared.loop.roundTime
        )
        self.endpoint.carrier = self
        dial.owner = self
    }

    private var loop: EventLoop { self.dial.multi.loop }

    /// Begins with what came together with the answer to the handshake.
    func begin(with bytes: UnsafeMutableRawBufferPointer) {
        self.endpoint.received(bytes)
        // More of it may wait in the TLS layer.
        self.scheduleRead()
        self.settle()
    }

    /// Closes in order, whoever holds on to it or not.
    func close(_ close: WebSocketClose) {
        self.isClosing = true
        self.endpoint.close(close)
    }

    /// Whoever opened it is gone.
    func leave() {
        guard !self.isOver, !self.isClosing, self.endpoint.end == nil else { return }
        self.endpoint.abort()
    }

    // MARK: - Events

    func dialEnded(_ failure: HTTPTransportError?) {
        self.endpoint.abort()
    }

    func dialIsReady(_ events: EpollEvents) {
        if !events.isDisjoint(with: [.readable, .hangup, .error]) {
            if self.endpoint.wantsInput {
                self.read()
            } else if !events.isDisjoint(with: [.hangup, .error]) {
                // The end is found when there is room again.
                self.isBroken = true
            }
        }
        if events.contains(.writable) { self.endpoint.writable() }
        self.settle()
    }

    private func read() {
        let scratch = self.loop.scratch.bytes
        for _ in 0..<UpstreamWebSocketConnection.readsPerTurn where self.endpoint.wantsInput {
            switch self.dial.receive(into: scratch) {
            case .bytes(let count):
                self.endpoint.received(UnsafeMutableRawBufferPointer(rebasing: scratch[..<count]))
                // What is left in the socket is reported again.
                guard self.isBroken || count == Self.receiveBuffer || self.dial.holdsBytes else { return }
            case .nothing:
                if self.isBroken { self.endpoint.disconnected() }
                return
            case .end: return self.endpoint.inputEnded()
            case .failure: return self.endpoint.disconnected()
            }
        }
        if self.endpoint.wantsInput, self.isBroken || self.dial.holdsBytes { self.scheduleRead() }
    }

    /// Reads without being asked to, for what no event tells of.
    private func scheduleRead() {
        guard !self.isReadScheduled, !self.isOver else { return }
        self.isReadScheduled = true
        self.loop.execute {
            self.isReadScheduled = false
            guard !self.isOver, self.endpoint.wantsInput else { return }
            self.read()
            self.settle()
        }
    }

    // MARK: - The endpoint's needs

    var isCurrent: Bool { self.loop.isCurrent }

    var now: ContinuousClock.Instant { self.loop.roundTime }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
        if !self.isBroken, let sent = self.dial.send(bytes) { return sent }
        // Why it broke may stand in what has come and is not read yet: an error frame, a close frame.
        self.isBroken = true
        self.scheduleRead()
        return bytes.count
    }

    func endpointChanged() {
        self.settle()
    }

    func execute(_ work: @escaping @Sendable () -> Void) {
        self.loop.execute(work)
    }

    /// Performs what the endpoint wants by now.
    private func settle() {
        guard !self.isOver else { return }
        if self.endpoint.isOver { return self.finish() }
        let isReading = self.endpoint.wantsInput
        // What waits in the TLS layer is not reported.
        if isReading, !self.wasReading, self.isBroken || self.dial.holdsBytes { self.scheduleRead() }
        self.wasReading = isReading
        if self.isBroken {
            // It would be reported for ever.
            self.dial.ignore()
        } else {
            var interest: EpollInterest = []
            if isReading { interest.insert(.readable) }
            if self.endpoint.wantsOutput { interest.insert(.writable) }
            self.dial.watch(interest)
        }
        self.armTimer()
    }

    private func armTimer() {
        guard let deadline = self.endpoint.deadline else { return }
        self.timer.arm(by: deadline, on: self.loop) {
            self.timer.noteFired()
            self.endpoint.expired()
            self.settle()
        }
    }

    private func finish() {
        self.isOver = true
        self.timer.cancel(on: self.loop)
        if self.endpoint.end == .lost(.aborted) { self.dial.reset() } else { self.dial.hangUp() }
    }
}
