internal import CCurl
internal import EventLoop
private import Glibc
internal import HTTPWire
internal import Telemetry

/// A multi handle of libcurl on an event loop: its sockets are in the loop's epoll set, its timer is one of the loop's.
///
/// `@unchecked Sendable`: all state is touched on the loop's queue only, which the entry points check.
final class CurlMulti: EpollHandler, @unchecked Sendable {
    /// The loop that everything happens on.
    let loop: EventLoop

    let configuration: UpstreamClient.Configuration
    let authorityFile: String?
    private let logger: Logger
    private(set) var raw: UnsafeMutableRawPointer?
    private var sockets = SocketTable()
    var running: [UInt64: Transfer] = [:]
    /// Connections that are opened for others than exchanges, and those that were, by easy handle.
    var dials: [UnsafeMutableRawPointer: CurlDial] = [:]
    var spareHandles: [CurlHandle] = []
    var scratch: [UInt8] = []

    // What libcurl asked for last, and what the loop was asked for: a later deadline leaves an earlier timer in place,
    // which then finds nothing due. libcurl moves its deadline with every exchange.
    private var deadline: EventLoop.Instant?
    private var armed: (deadline: EventLoop.Instant, token: TimerToken)?
    private var isTurnScheduled = false

    init(
        loop: EventLoop,
        configuration: UpstreamClient.Configuration,
        authorityFile: String?,
        logger: Logger
    ) throws(UpstreamClientError) {
        guard let raw = curl_multi_init() else {
            throw UpstreamClientError(.libcurl, "libcurl could not make a multi handle: no memory")
        }
        self.loop = loop
        self.configuration = configuration
        self.authorityFile = authorityFile
        self.logger = logger
        self.raw = raw
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_multi_set_pointer(raw, CURLMOPT_SOCKETDATA, context)
        ccurl_multi_set_pointer(raw, CURLMOPT_TIMERDATA, context)
        ccurl_multi_set_long(raw, CURLMOPT_MAXCONNECTS, configuration.maximumConnections)
        ccurl_multi_set_long(raw, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
        ccurl_multi_set_socket_callback(raw) { easy, socket, what, context, _ in
            CurlMulti.of(context)?.watch(socket, what, for: easy)
            return 0
        }
        ccurl_multi_set_timer_callback(raw) { _, milliseconds, context in
            CurlMulti.of(context)?.setTimer(milliseconds)
            return 0
        }
    }

    /// The multi handle that a callback's pointer stands for; the client keeps it until it is cleaned up.
    static func of(_ pointer: UnsafeMutableRawPointer?) -> CurlMulti? {
        guard let pointer else { return nil }
        return Unmanaged<CurlMulti>.fromOpaque(pointer).takeUnretainedValue()
    }

    // MARK: - Sockets

    /// libcurl's wish about a socket.
    private func watch(_ socket: Int32, _ what: Int32, for easy: UnsafeMutableRawPointer?) {
        if what == CURL_POLL_REMOVE {
            // A connection that goes into the pool stays in the epoll set: two system calls less for each exchange.
            // No other socket may, because libcurl closes its own pairs, and connections that did not come about,
            // without a word.
            let isPooled = self.sockets[socket].isConnection && self.isAnswered(easy)
            guard isPooled, self.sockets[socket].isWatched else { return self.unwatch(socket) }
            self.sockets[socket].isIdle = true
            self.loop.modify(socket, interest: .readable)
            return
        }
        var interest: EpollInterest = []
        if what & CURL_POLL_IN != 0 { interest.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { interest.insert(.writable) }
        self.sockets[socket].isIdle = false
        if self.sockets[socket].isWatched {
            self.loop.modify(socket, interest: interest)
            return
        }
        do {
            try self.loop.register(socket, interest: interest, handler: self)
            self.sockets[socket].isWatched = true
        } catch {
            // The exchange ends with its time-out; there is no better way to tell libcurl.
            self.logger.error("a platform connection cannot be watched", ["error": .string("\(error)")])
        }
    }

    private func isAnswered(_ easy: UnsafeMutableRawPointer?) -> Bool {
        guard let easy else { return false }
        var pointer: UnsafeMutableRawPointer?
        ccurl_get_pointer(easy, CURLINFO_PRIVATE, &pointer)
        return Transfer.of(pointer)?.machine.isAnswered ?? false
    }

    func unwatch(_ socket: Int32) {
        guard self.sockets[socket].isWatched else { return }
        self.sockets[socket].isWatched = false
        self.loop.deregister(socket)
    }

    func ready(_ descriptor: Int32, _ events: EpollEvents) {
        guard let raw = self.raw else { return self.unwatch(descriptor) }
        if self.sockets[descriptor].isIdle {
            // Whatever comes on an idle connection makes it useless: its end, or bytes that nobody asked for, which
            // libcurl would take for the answer to the next request. Shut down, it cannot be mistaken for alive.
            self.unwatch(descriptor)
            _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
            return
        }
        var mask: Int32 = 0
        if !events.isDisjoint(with: [.readable, .hangup, .peerClosed]) { mask |= CURL_CSELECT_IN }
        if events.contains(.writable) { mask |= CURL_CSELECT_OUT }
        if events.contains(.error) { mask |= CURL_CSELECT_ERR }
        var count: Int32 = 0
        curl_multi_socket_action(raw, descriptor, mask, &count)
        self.collect()
    }

    /// Opens a socket for a transfer; -1 when it may not or cannot.
    func open(_ address: UnsafePointer<curl_sockaddr>, for transfer: Transfer) -> Int32 {
        let isPermitted = transfer.permits(
            loopback: ccurl_is_loopback(address),
            public: ccurl_is_public(address)
        )
        guard isPermitted else { return -1 }
        let socket = self.open(address)
        if socket >= 0 { transfer.openedSockets.append(socket) }
        return socket
    }

    /// Opens a socket; negative when that cannot be.
    func open(_ address: UnsafePointer<curl_sockaddr>) -> Int32 {
        let socket = ccurl_open_socket(address)
        guard socket >= 0 else { return socket }
        // What had this number before may have been closed without a word.
        self.unwatch(socket)
        self.sockets.remove(socket)
        self.sockets[socket].isConnection = true
        return socket
    }

    /// Closes a socket that was opened here, out of the epoll set first.
    func close(_ socket: Int32) -> Int32 {
        self.unwatch(socket)
        self.sockets.remove(socket)
        return Glibc.close(socket)
    }

    /// Whether a request may be written to the connection with these ports.
    ///
    /// libcurl looks for the end of a pooled connection before it uses it, not for bytes: it would take an unasked
    /// answer for the one to the next request.
    func examineConnection(of transfer: Transfer, localPort: Int32, remotePort: Int32) -> Bool {
        let ports = SocketTable.Ports(local: localPort, remote: remotePort)
        for socket in transfer.openedSockets where self.sockets[socket].isConnection {
            guard self.sockets[socket].ports == nil, ccurl_local_port(socket) == localPort else { continue }
            self.sockets.name(socket, ports)
            return true
        }
        let pooled = self.sockets.connections(with: ports)
        return !pooled.isEmpty && pooled.allSatisfy(ccurl_is_quiet)
    }

    // MARK: - Time

    /// libcurl's wish about its timer.
    private func setTimer(_ milliseconds: Int) {
        if milliseconds == 0 {
            self.scheduleTurn()
        } else if milliseconds < 0 {
            self.deadline = nil
        } else {
            self.deadline = self.loop.now + .milliseconds(milliseconds)
            self.arm()
        }
    }

    /// Lets libcurl work once at the end of the turn, however many exchanges asked for it.
    private func scheduleTurn() {
        guard !self.isTurnScheduled else { return }
        self.isTurnScheduled = true
        self.loop.atEndOfTurn {
            self.isTurnScheduled = false
            self.timeOut()
        }
    }

    private func arm() {
        guard let deadline = self.deadline else { return }
        if let armed = self.armed {
            if armed.deadline <= deadline { return }
            self.loop.cancel(armed.token)
        }
        let token = self.loop.schedule(at: deadline) {
            self.armed = nil
            guard let deadline = self.deadline else { return }
            if deadline <= self.loop.now {
                self.deadline = nil
                self.timeOut()
            } else {
                self.arm()
            }
        }
        self.armed = (deadline, token)
    }

    private func timeOut() {
        guard let raw = self.raw else { return }
        var count: Int32 = 0
        curl_multi_socket_action(raw, CURL_SOCKET_TIMEOUT, 0, &count)
        self.collect()
    }

    /// Deals with what has ended.
    private func collect() {
        guard let raw = self.raw else { return }
        var left: Int32 = 0
        while let message = curl_multi_info_read(raw, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            // The message is gone once its handle is removed.
            let code = ccurl_message_result(message)
            var pointer: UnsafeMutableRawPointer?
            ccurl_get_pointer(easy, CURLINFO_PRIVATE, &pointer)
            if let transfer = Transfer.of(pointer) {
                self.complete(transfer, code, raw)
            } else {
                self.dials[easy]?.ended(code)
            }
        }
    }

    // MARK: - The end

    /// Gives up all exchanges and closes all connections.
    func shutDown() {
        precondition(self.loop.isCurrent, "a multi handle ends on its loop")
        guard let raw = self.raw else { return }
        for transfer in Array(self.running.values) {
            self.abandon(transfer, .refused, "the client is shut down")
        }
        for dial in Array(self.dials.values) {
            dial.cut()
        }
        self.spareHandles.removeAll()
        // Closes the connections, through the callback.
        curl_multi_cleanup(raw)
        self.raw = nil
        for socket in self.sockets.watched {
            self.unwatch(socket)
        }
        if let armed = self.armed { self.loop.cancel(armed.token) }
        self.armed = nil
    }
}
