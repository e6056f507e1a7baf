internal import EventLoop
internal import Telemetry

/// Makes the listeners of a server.
struct ListenerFactory: Sendable {
    let backlog: Int32
    let unixSocketMode: UInt32
    let servers: [ServerLoop]
    let shared: ServerShared
    let logger: Logger
    let accept: Listener.Accept
    private let turn = Listener.Turn()

    init(
        backlog: Int32,
        unixSocketMode: UInt32,
        servers: [ServerLoop],
        shared: ServerShared,
        logger: Logger,
        accept: @escaping Listener.Accept
    ) {
        self.backlog = backlog
        self.unixSocketMode = unixSocketMode
        self.servers = servers
        self.shared = shared
        self.logger = logger
        self.accept = accept
    }

    /// Listens on all addresses, or on none.
    ///
    /// - Parameter listeners: What the server listens on already.
    func open(
        _ addresses: [ListenAddress],
        besides listeners: [Listener]
    ) async throws(HTTPServerError) -> [Listener] {
        var sockets: [ListeningSocket] = []
        for address in addresses {
            do throws(HTTPServerError) {
                sockets.append(
                    try ListeningSocket(address, backlog: self.backlog, unixSocketMode: self.unixSocketMode)
                )
            } catch {
                for socket in sockets { socket.close() }
                throw Self.explained(error, address, besides: listeners)
            }
        }
        var opened: [Listener] = []
        for (address, socket) in zip(addresses, sockets) {
            let listener = Listener(
                socket,
                for: address,
                loop: self.servers[(listeners.count + opened.count) % self.servers.count].loop,
                servers: self.servers,
                turn: self.turn,
                shared: self.shared,
                logger: self.logger,
                accept: self.accept
            )
            opened.append(listener)
            if let error = await listener.open() {
                for socket in sockets[opened.count...] { socket.close() }
                for listener in opened { await listener.end() }
                throw HTTPServerError(listeningOn: "\(socket.bound)", errorNumber: error.errorNumber)
            }
        }
        for socket in sockets {
            self.logger.notice("listening", ["address": .string(socket.bound.description)])
        }
        return opened
    }

    /// Says so where the server stands in its own way: 0.0.0.0:80 cannot be listened on beside 127.0.0.1:80.
    private static func explained(
        _ error: HTTPServerError,
        _ address: ListenAddress,
        besides listeners: [Listener]
    ) -> HTTPServerError {
        guard error.code == .addressInUse, case .tcp(_, let port) = address,
            let own = listeners.first(where: { $0.socket.bound.port == port })
        else { return error }
        return HTTPServerError(
            error.code,
            "cannot listen on \(address): this process listens on \(own.socket.bound); such a change needs a restart",
            errorNumber: error.errorNumber
        )
    }
}
