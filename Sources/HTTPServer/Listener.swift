internal import CLinux
internal import EventLoop
internal import Glibc
internal import Synchronization
internal import Telemetry

/// Accepts connections on one socket and hands them to the loops in turn.
///
/// `@unchecked Sendable`: confined to the queue of `loop`, except the immutable members.
final class Listener: EpollHandler, @unchecked Sendable {
    /// Takes a connection from a listening socket: its descriptor, or the negative error number.
    typealias Accept = @Sendable (_ listener: Int32, _ peer: inout sockaddr_storage) -> Int32

    /// How long it waits when descriptors have run out.
    private static let pause: Duration = .milliseconds(100)
    // Accepted in one go before the loop's connections have their turn.
    private static let batch = 64
    // More than any queue holds that the kernel gives by default (net.core.somaxconn).
    private static let longestQueue = 4_096
    // How often running out is logged at most.
    private static let logInterval: Duration = .seconds(60)

    /// What it was told to listen on.
    let address: ListenAddress
    let socket: ListeningSocket
    private let loop: EventLoop
    private let servers: [ServerLoop]
    private let turn: Turn
    private let shared: ServerShared
    private let logger: Logger
    private let accept: Accept
    // A descriptor kept back: without it nothing could be accepted, and so nothing be closed, once all are used up.
    private var reserve: Int32
    private var isClosed = false
    private var lastLogged: EventLoop.Instant?

    /// Whose turn it is to take a connection, over all listeners.
    final class Turn: Sendable {
        private let next = Atomic<Int>(0)

        func take(of count: Int) -> Int {
            let number = self.next.wrappingAdd(1, ordering: .relaxed).oldValue
            return Int(UInt(bitPattern: number) % UInt(count))
        }
    }

    init(
        _ socket: ListeningSocket,
        for address: ListenAddress,
        loop: EventLoop,
        servers: [ServerLoop],
        turn: Turn,
        shared: ServerShared,
        logger: Logger,
        accept: @escaping Accept
    ) {
        self.address = address
        self.socket = socket
        self.loop = loop
        self.servers = servers
        self.turn = turn
        self.shared = shared
        self.logger = logger
        self.accept = accept
        self.reserve = Listener.openReserve()
    }

    /// Begins to accept; the error when it cannot.
    ///
    /// Any thread.
    func open() async -> EventLoopError? {
        await self.loop.perform {
            do throws(EventLoopError) {
                try self.loop.register(self.socket.descriptor, interest: [.readable], handler: self)
                return nil
            } catch {
                return error
            }
        }
    }

    /// Closes the socket.
    ///
    /// Any thread.
    func end() async {
        await self.loop.perform { self.close() }
    }

    /// Takes over what has connected, and closes the socket.
    ///
    /// Who waits in the kernel's queue has been told that there is a connection: to close that would break it. Any thread.
    func retire() async {
        await self.loop.perform {
            guard !self.isClosed else { return }
            for _ in 0..<Listener.longestQueue {
                guard self.acceptOne() else { break }
            }
            self.close()
        }
    }

    func ready(_ descriptor: Int32, _ events: EpollEvents) {
        for _ in 0..<Listener.batch {
            guard self.acceptOne() else { return }
        }
    }

    /// Whether there may be a further one.
    private func acceptOne() -> Bool {
        var peer = sockaddr_storage()
        let descriptor = self.accept(self.socket.descriptor, &peer)
        guard descriptor < 0 else {
            self.take(descriptor, peer)
            return true
        }
        switch -descriptor {
        case EAGAIN, EWOULDBLOCK:
            return false
        case ECONNABORTED, EPROTO, EPERM, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, ENETUNREACH:
            // Errors of the connection and not of the listener (accept(2)).
            return true
        case EMFILE, ENFILE:
            self.refuseWithReserve()
            self.rest(errorNumber: -descriptor)
            return false
        default:
            self.rest(errorNumber: -descriptor)
            return false
        }
    }

    private func take(_ descriptor: Int32, _ peer: sockaddr_storage) {
        let admission = self.shared.admit()
        guard admission != .refused else {
            _ = Glibc.close(descriptor)
            return
        }
        let address = Listener.text(of: peer)
        let server = self.servers[self.turn.take(of: self.servers.count)]
        if server.loop === self.loop {
            server.open(descriptor, peerAddress: address, admission: admission)
        } else {
            server.loop.execute { server.open(descriptor, peerAddress: address, admission: admission) }
        }
    }

    /// All descriptors are in use: gives the reserve away to take connections off the queue and close them, so that
    /// these clients learn at once that there is no room.
    private func refuseWithReserve() {
        guard self.reserve >= 0 else {
            self.reserve = Listener.openReserve()
            return
        }
        _ = Glibc.close(self.reserve)
        var refused = 0
        for _ in 0..<Listener.batch {
            var peer = sockaddr_storage()
            let descriptor = self.accept(self.socket.descriptor, &peer)
            guard descriptor >= 0 else { break }
            _ = Glibc.close(descriptor)
            refused += 1
        }
        self.reserve = Listener.openReserve()
        self.shared.countRefusals(refused)
    }

    /// Leaves the socket alone for a moment: level-triggered, it would turn the loop without end.
    private func rest(errorNumber: Int32) {
        if self.lastLogged.map({ self.loop.now - $0 >= Listener.logInterval }) ?? true {
            self.lastLogged = self.loop.now
            self.logger.error(
                "connections cannot be accepted, raise the limit of open files",
                ["listener": .string(self.socket.bound.description), "errno": .int(errorNumber)]
            )
        }
        self.loop.modify(self.socket.descriptor, interest: [])
        self.loop.schedule(at: self.loop.now + Listener.pause) {
            guard !self.isClosed else { return }
            self.loop.modify(self.socket.descriptor, interest: [.readable])
        }
    }

    private func close() {
        guard !self.isClosed else { return }
        self.isClosed = true
        self.loop.deregister(self.socket.descriptor)
        self.socket.close()
        if self.reserve >= 0 {
            _ = Glibc.close(self.reserve)
        }
    }

    private static func openReserve() -> Int32 {
        Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    private static func text(of peer: sockaddr_storage) -> String {
        var peer = peer
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            guard let base = text.baseAddress else { return "" }
            clinux_address_text(&peer, base, text.count)
            return String(cString: base)
        }
    }

    /// accept4 itself.
    static let system: Accept = { listener, peer in
        var length: socklen_t = 0
        let descriptor = clinux_accept(listener, &peer, &length)
        return descriptor >= 0 ? descriptor : -errno
    }
}
