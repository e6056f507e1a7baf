internal import CLinux
internal import EventLoop
internal import Glibc
internal import HTTPWire

/// One client's socket: performs what ``ConnectionStateMachine`` decides.
///
/// Requests are answered one at a time and in order. While a responder works, nothing is read; what came with a request
/// (at most one scratch buffer) waits in `pending`. An idle connection owns no buffer.
///
/// `@unchecked Sendable`: confined to the queue of its loop; every entry point from elsewhere checks that.
final class Connection: EpollHandler, ServedConnection, @unchecked Sendable {
    // Pipelined requests answered in one go before the loop's other connections have their turn.
    private static let requestsPerTurn = 64
    // Buffers of scratch size read from one socket before the others have their turn.
    private static let readsPerTurn = 8

    let descriptor: Int32
    let admission: ServerShared.Admission
    let server: ServerLoop
    let peerAddress: String

    var machine = ConnectionStateMachine()
    /// Counts requests, so that what belongs to an earlier one is told apart.
    var serial: UInt32 = 0
    /// Input that is being looked at; lent by the scratch buffer or by what was pending, never kept.
    var window: UnsafeRawBufferPointer?
    /// Input that came too early.
    var pending: [UInt8] = []
    var reading: BodyReading?
    /// How the content of the current request is delimited.
    var framing = HTTPRequestHead.Framing.none
    var outgoing: Outgoing?
    /// Content of the answer that is still to come; nil for all that is in memory.
    var stream: OutgoingStream?
    /// What an irregular answer still has to send; nil for all others.
    var irregularOutput: IrregularOutput?
    /// What the connection becomes when the head that says so is out.
    var upgrade: WebSocketUpgrade?
    /// Parses the current head if it comes in pieces.
    var parser: Parser?
    /// The responder at work.
    var task: Task<Void, Never>?
    private var interest: EpollInterest = []
    private var timer = DeadlineTimer()

    init(_ descriptor: Int32, on server: ServerLoop, peerAddress: String, admission: ServerShared.Admission) {
        self.descriptor = descriptor
        self.server = server
        self.peerAddress = peerAddress
        self.admission = admission
    }

    var loop: EventLoop { self.server.loop }

    func open() {
        do throws(EventLoopError) {
            try self.loop.register(self.descriptor, interest: [.readable], handler: self)
            self.interest = [.readable]
        } catch {
            self.server.shared.countRefusals(1)
            self.close()
            return
        }
        self.machine.opened(at: self.loop.roundTime, self.server.timeouts)
        if self.server.isDraining { _ = self.machine.drain(at: self.loop.roundTime) }
        switch self.admission {
        case .admitted:
            self.armTimer()
        case .shed, .refused:
            self.reject(
                HTTPRejection(status: HTTPStatus(503), message: "Too many connections are open; try again shortly.")
            )
        }
    }

    // MARK: - Events

    func ready(_ descriptor: Int32, _ events: EpollEvents) {
        if events.contains(.error) || events.contains(.hangup) {
            self.abort()
            return
        }
        if events.contains(.writable) {
            self.flush()
        }
        if events.contains(.readable) || events.contains(.peerClosed) {
            if self.machine.wantsInput, self.pending.isEmpty {
                self.receive()
            } else if self.machine.phase != .closed {
                // Level-triggered: what is not wanted now would be reported for ever.
                self.setInterest(self.interest.subtracting(.readable))
            }
        }
    }

    private func receive() {
        let scratch = self.loop.scratch.bytes
        for _ in 0..<Connection.readsPerTurn {
            let count = clinux_receive(self.descriptor, scratch.baseAddress, scratch.count)
            if count > 0 {
                self.consume(UnsafeRawBufferPointer(rebasing: scratch[..<count]))
                // A buffer that is not full was all there is, and more would be reported.
                guard count == scratch.count, self.machine.wantsInput, self.pending.isEmpty else { return }
            } else if count == 0 {
                self.inputEnded()
                return
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                return
            } else {
                self.abort()
                return
            }
        }
    }

    /// Takes input as far as the state allows, and keeps the rest.
    private func consume(_ input: UnsafeRawBufferPointer) {
        self.window = input
        var requests = 0
        while let window = self.window, !window.isEmpty {
            if self.machine.phase == .lingering {
                self.window = nil
                if !self.machine.threwAway(window.count, at: self.loop.roundTime, self.server.timeouts) {
                    self.close()
                }
                return
            }
            if self.machine.phase == .handling, self.machine.content == .reading {
                self.pumpContent()
                break
            }
            guard self.machine.phase == .idle || self.machine.phase == .head else { break }
            if requests == Connection.requestsPerTurn {
                self.loop.execute { self.resumeInput() }
                break
            }
            requests += 1
            self.parseHead(window)
        }
        self.stash()
    }

    /// Copies what is left of the window, if anybody will want it.
    func stash() {
        guard let window = self.window else { return }
        self.window = nil
        switch self.machine.phase {
        case .lingering, .closed: return
        case .handling where self.machine.content == .abandoned: return
        case .idle, .head, .handling, .answering: break
        }
        if !window.isEmpty {
            self.pending = [UInt8](window)
        }
    }

    /// Goes on with what waited, and with the socket behind it.
    func resumeInput() {
        guard self.machine.phase != .closed, self.window == nil else { return }
        if !self.pending.isEmpty, self.machine.takesInput {
            let bytes = self.pending
            self.pending = []
            bytes.withUnsafeBytes { self.consume($0) }
        }
        if self.machine.hasPeerEnded, self.pending.isEmpty {
            switch self.machine.phase {
            case .idle, .head: self.inputEnded()
            case .handling, .answering, .lingering, .closed: break
            }
        }
        self.watchInput()
    }

    func inputEnded() {
        switch self.machine.peerEnded() {
        case .nothing:
            self.setInterest(self.interest.subtracting(.readable))
        case .close:
            self.close()
        case .rejectHead:
            self.reject(HTTPRejection(status: HTTPStatus(400), message: "The request ended inside its head."))
        case .failContent:
            self.setInterest(self.interest.subtracting(.readable))
            self.failContent(HTTPRequestBodyError.disconnected)
        }
    }

    // MARK: - Interest and deadlines

    func watchInput() {
        if self.machine.wantsInput, self.pending.isEmpty {
            self.setInterest(self.interest.union(.readable))
        }
    }

    func watchOutput(_ isWanted: Bool) {
        self.setInterest(isWanted ? self.interest.union(.writable) : self.interest.subtracting(.writable))
    }

    private func setInterest(_ interest: EpollInterest) {
        guard interest != self.interest, self.machine.phase != .closed else { return }
        self.interest = interest
        self.loop.modify(self.descriptor, interest: interest)
    }

    func armTimer() {
        guard let deadline = self.machine.deadline else { return }
        self.timer.arm(by: deadline, on: self.loop) { self.timerFired() }
    }

    private func timerFired() {
        self.timer.noteFired()
        switch self.machine.expired(at: self.loop.roundTime) {
        case .nothing:
            self.armTimer()
        case .close:
            self.close()
        case .rejectHead:
            self.reject(HTTPRejection(status: HTTPStatus(408), message: "The request head did not arrive in time."))
        case .failContent:
            self.failContent(HTTPRequestBodyError.timedOut)
        }
    }

    // MARK: - The end

    func drain() {
        if self.machine.drain(at: self.loop.roundTime) {
            self.close()
        } else {
            self.armTimer()
        }
    }

    /// Closes and cancels what is going on: nobody is there to get an answer.
    func abort() {
        let task = self.task
        self.close()
        task?.cancel()
    }

    /// Lets go of the socket, which stays open.
    func release() {
        self.machine.closed()
        self.loop.deregister(self.descriptor)
        self.timer.cancel(on: self.loop)
    }

    func close() {
        guard self.machine.phase != .closed else { return }
        self.release()
        _ = Glibc.close(self.descriptor)
        if self.upgrade != nil { self.server.shared.closedWebSocket() }
        self.upgrade = nil
        if self.stream != nil { self.task?.cancel() }
        self.stream = nil
        self.task = nil
        self.pending = []
        self.outgoing = nil
        self.irregularOutput = nil
        self.parser = nil
        self.server.forget(self)
        self.endReading(throwing: HTTPRequestBodyError.disconnected)
    }
}
