internal import CLinux
internal import EventLoop
internal import Glibc
internal import HTTPWire

/// The socket of a WebSocket connection: performs what ``HTTPWire/WebSocketEndpoint`` decides.
///
/// `@unchecked Sendable`: confined to the queue of its loop; every entry point from elsewhere checks that.
final class WebSocketConnection: EpollHandler, ServedConnection, WebSocketCarrier, @unchecked Sendable {
    // Buffers of scratch size read from one socket before the others have their turn.
    private static let readsPerTurn = 8

    let descriptor: Int32
    let admission: ServerShared.Admission
    private let server: ServerLoop
    private let endpoint: WebSocketEndpoint
    private let handler: any WebSocketHandler
    /// The handler at work.
    private var task: Task<Void, Never>?
    private var interest: EpollInterest = []
    private var timer = DeadlineTimer()
    private var hasFinishedWriting = false
    private var isClosed = false

    /// Takes the place of a connection that has let go of its socket.
    init(_ connection: Connection, _ upgrade: WebSocketUpgrade) {
        self.descriptor = connection.descriptor
        self.admission = connection.admission
        self.server = connection.server
        self.handler = upgrade.handler
        self.endpoint = WebSocketEndpoint(
            .server,
            configuration: upgrade.configuration ?? connection.server.webSocketConfiguration,
            share: connection.server.webSockets,
            budget: connection.server.shared.webSocketShares.budget(of: upgrade.owner),
            at: connection.loop.roundTime
        )
        self.endpoint.carrier = self
    }

    private var loop: EventLoop { self.server.loop }

    /// Begins.
    ///
    /// - Parameter early: What the client sent behind its request.
    func open(_ early: [UInt8]) {
        do throws(EventLoopError) {
            try self.loop.register(self.descriptor, interest: [.readable], handler: self)
            self.interest = [.readable]
        } catch {
            self.endpoint.disconnected()
            self.settle()
            return
        }
        if !early.isEmpty {
            var early = early
            early.withUnsafeMutableBytes { self.endpoint.received($0) }
        }
        self.task = Task(executorPreference: self.loop.executor) {
            await self.handler.run(self.endpoint)
            self.task = nil
            self.endpoint.close(WebSocketClose(.normalClosure))
        }
        self.settle()
    }

    // MARK: - Events

    func ready(_ descriptor: Int32, _ events: EpollEvents) {
        let isBroken = events.contains(.error) || events.contains(.hangup)
        // What came before the end is read first, if anybody wants it.
        if isBroken || events.contains(.readable) {
            if self.endpoint.wantsInput {
                self.receive()
            } else if isBroken {
                self.endpoint.disconnected()
            }
        }
        if events.contains(.writable), !isBroken {
            self.endpoint.writable()
        }
        self.settle()
    }

    private func receive() {
        let scratch = self.loop.scratch.bytes
        for _ in 0..<WebSocketConnection.readsPerTurn {
            let count = clinux_receive(self.descriptor, scratch.baseAddress, scratch.count)
            if count > 0 {
                self.endpoint.received(UnsafeMutableRawBufferPointer(rebasing: scratch[..<count]))
                // A buffer that is not full was all there is, and more would be reported.
                guard count == scratch.count, self.endpoint.wantsInput else { return }
            } else if count == 0 {
                self.endpoint.inputEnded()
                return
            } else {
                if errno != EAGAIN, errno != EWOULDBLOCK { self.endpoint.disconnected() }
                return
            }
        }
    }

    /// Performs what the endpoint wants by now.
    private func settle() {
        guard !self.isClosed else { return }
        if self.endpoint.isOver {
            self.end()
            return
        }
        if self.endpoint.mayFinishWriting, !self.hasFinishedWriting {
            self.hasFinishedWriting = true
            _ = shutdown(self.descriptor, Int32(SHUT_WR))
        }
        var interest: EpollInterest = []
        if self.endpoint.wantsInput { interest.insert(.readable) }
        if self.endpoint.wantsOutput { interest.insert(.writable) }
        if interest != self.interest {
            self.interest = interest
            self.loop.modify(self.descriptor, interest: interest)
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

    // MARK: - The endpoint's needs

    var isCurrent: Bool { self.loop.isCurrent }

    var now: ContinuousClock.Instant { self.loop.roundTime }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
        let sent = clinux_send2(self.descriptor, bytes.baseAddress, bytes.count, nil, 0)
        guard sent < 0 else { return sent }
        return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : nil
    }

    func endpointChanged() {
        self.settle()
    }

    func execute(_ work: @escaping @Sendable () -> Void) {
        self.loop.execute(work)
    }

    // MARK: - The end

    func drain() {
        guard !self.isClosed else { return }
        self.handler.drain(self.endpoint)
    }

    /// Closes properly, because the server's time is up.
    func close() {
        guard !self.isClosed else { return }
        self.endpoint.close(WebSocketClose(.goingAway, reason: "The server is shutting down."))
    }

    func abort() {
        let task = self.task
        self.close()
        self.discardInput()
        self.endpoint.disconnected()
        self.settle()
        task?.cancel()
    }

    /// Takes what lies in the socket: closed with unread bytes it would be reset, and a close frame lost with it.
    private func discardInput() {
        guard !self.isClosed else { return }
        let scratch = self.loop.scratch.bytes
        for _ in 0..<WebSocketConnection.readsPerTurn {
            guard clinux_receive(self.descriptor, scratch.baseAddress, scratch.count) == scratch.count else { return }
        }
    }

    private func end() {
        self.isClosed = true
        if self.endpoint.end == .lost(.aborted) {
            // The other end is to see a reset.
            var now = linger(l_onoff: 1, l_linger: 0)
            setsockopt(self.descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        }
        self.loop.deregister(self.descriptor)
        _ = Glibc.close(self.descriptor)
        self.timer.cancel(on: self.loop)
        self.server.forget(self)
        self.server.shared.closedWebSocket()
    }
}
