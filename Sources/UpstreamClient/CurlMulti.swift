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
    /// What its connections share with those of the loop's other multi handles.
    let share: CurlShare
    let authorityFile: String?
    private let logger: Logger
    private(set) var raw: UnsafeMutableRawPointer?
    /// The sockets that libcurl wants to hear of.
    private var watched: Set<Int32> = []
    /// Connections that are being opened or were, by easy handle.
    var dials: [UnsafeMutableRawPointer: CurlDial] = [:]

    // What libcurl asked for last.
    private var deadline: EventLoop.Instant?
    private var timer = DeadlineTimer()
    private var isTurnScheduled = false

    init(
        loop: EventLoop,
        configuration: UpstreamClient.Configuration,
        share: CurlShare,
        authorityFile: String?,
        logger: Logger
    ) throws(UpstreamClientError) {
        guard let raw = curl_multi_init() else {
            throw UpstreamClientError(.libcurl, "libcurl could not make a multi handle: no memory")
        }
        self.loop = loop
        self.configuration = configuration
        self.share = share
        self.authorityFile = authorityFile
        self.logger = logger
        self.raw = raw
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_multi_set_pointer(raw, CURLMOPT_SOCKETDATA, context)
        ccurl_multi_set_pointer(raw, CURLMOPT_TIMERDATA, context)
        ccurl_multi_set_socket_callback(raw) { _, socket, what, context, _ in
            CurlMulti.of(context)?.watch(socket, what)
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
    private func watch(_ socket: Int32, _ what: Int32) {
        guard what != CURL_POLL_REMOVE else { return self.unwatch(socket) }
        var interest: EpollInterest = []
        if what & CURL_POLL_IN != 0 { interest.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { interest.insert(.writable) }
        if self.watched.contains(socket) { return self.loop.modify(socket, interest: interest) }
        do {
            try self.loop.register(socket, interest: interest, handler: self)
            self.watched.insert(socket)
        } catch {
            // The connection ends with its time-out; there is no better way to tell libcurl.
            self.logger.error("a platform connection cannot be watched", ["error": .string("\(error)")])
        }
    }

    func unwatch(_ socket: Int32) {
        guard self.watched.remove(socket) != nil else { return }
        self.loop.deregister(socket)
    }

    func ready(_ descriptor: Int32, _ events: EpollEvents) {
        guard let raw = self.raw else { return self.unwatch(descriptor) }
        var mask: Int32 = 0
        if !events.isDisjoint(with: [.readable, .hangup]) { mask |= CURL_CSELECT_IN }
        if events.contains(.writable) { mask |= CURL_CSELECT_OUT }
        if events.contains(.error) { mask |= CURL_CSELECT_ERR }
        var count: Int32 = 0
        curl_multi_socket_action(raw, descriptor, mask, &count)
        self.collect()
    }

    /// Opens a socket; negative when that cannot be.
    func open(_ address: UnsafePointer<curl_sockaddr>) -> Int32 {
        let socket = ccurl_open_socket(address)
        // What had this number before may have been closed without a word.
        if socket >= 0 { self.unwatch(socket) }
        return socket
    }

    /// Closes a socket that was opened here, out of the epoll set first.
    func close(_ socket: Int32) -> Int32 {
        self.unwatch(socket)
        return Glibc.close(socket)
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

    /// Lets libcurl work once at the end of the turn, however many connections asked for it.
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
        self.timer.arm(by: deadline, on: self.loop) {
            self.timer.noteFired()
            guard let deadline = self.deadline else { return }
            if deadline <= self.loop.now {
                self.deadline = nil
                self.timeOut()
            } else {
                self.arm()
            }
        }
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
            self.dials[easy]?.ended(code)
        }
    }

    // MARK: - The end

    /// Closes all connections.
    func shutDown() {
        precondition(self.loop.isCurrent, "a multi handle ends on its loop")
        guard let raw = self.raw else { return }
        for dial in Array(self.dials.values) {
            dial.cut()
        }
        // Closes the connections, through the callback.
        curl_multi_cleanup(raw)
        self.raw = nil
        for socket in self.watched {
            self.unwatch(socket)
        }
        self.timer.cancel(on: self.loop)
    }
}
