public import EventLoop
public import HTTPWire
internal import Locking
public import Telemetry

/// Accepts connections and lets a responder answer their requests (RFC 9112).
///
/// A connection is handed to one of the loops and stays there; so do its requests, whose tasks prefer the loop's
/// executor. A server is started once, drained or not, and stopped before its loops are.
///
/// ## Topics
/// - ``Configuration``
/// - ``start()``, ``drain(within:)``, ``stop()``
/// - ``statistics``
public final class HTTPServer: Sendable {
    /// What a server has done; each number is exact, the set of them is not of one moment.
    public struct Statistics: Hashable, Sendable {
        /// Connections that are open now.
        public var openConnections: Int
        /// Connections accepted so far, those turned away included.
        public var acceptedConnections: Int
        /// Connections turned away: answered with 503, or closed.
        public var shedConnections: Int
        /// Requests handed to the responder so far.
        public var requests: Int
        /// WebSocket connections that are open now.
        public var openWebSockets: Int
        /// WebSocket connections opened so far.
        public var openedWebSockets: Int
        /// Bytes that WebSocket connections keep now.
        public var webSocketBufferBytes: Int
        /// WebSocket messages that came so far.
        public var receivedMessages: Int
        /// WebSocket messages that were sent so far.
        public var sentMessages: Int
    }

    private enum State {
        case fresh
        case started([Listener])
        case ended
    }

    private let configuration: Configuration
    private let loops: [EventLoop]
    private let logger: Logger
    private let shared: ServerShared
    private let servers: [ServerLoop]
    private let accept: Listener.Accept
    private let state = Locked(State.fresh)

    /// Makes a server that does not listen yet.
    ///
    /// - Parameters:
    ///   - configuration: Where and how.
    ///   - loops: At least one.
    ///   - responder: Answers the requests.
    ///   - logger: Gets what an operator has to know; single requests are the responder's business.
    public convenience init(
        configuration: Configuration,
        loops: [EventLoop],
        responder: any HTTPResponder,
        logger: Logger
    ) {
        self.init(
            configuration: configuration,
            loops: loops,
            responder: responder,
            logger: logger,
            accept: Listener.system
        )
    }

    /// - Parameter accept: The system call, which tests let fail.
    init(
        configuration: Configuration,
        loops: [EventLoop],
        responder: any HTTPResponder,
        logger: Logger,
        accept: @escaping Listener.Accept
    ) {
        precondition(!loops.isEmpty, "a server needs a loop")
        let shared = ServerShared(configuration)
        self.configuration = configuration
        self.loops = loops
        self.logger = logger
        self.shared = shared
        self.accept = accept
        self.servers = loops.map { loop in
            ServerLoop(loop: loop, shared: shared, responder: responder, configuration: configuration)
        }
    }

    /// What the server has done so far.
    ///
    /// Any thread.
    public var statistics: Statistics {
        var statistics = self.shared.statistics
        for server in self.servers {
            statistics.requests += server.requestCount
            statistics.receivedMessages += server.webSockets.receivedMessages
            statistics.sentMessages += server.webSockets.sentMessages
        }
        return statistics
    }

    /// Listens on all addresses, or on none.
    ///
    /// - Returns: The addresses in the order of the configuration, with the ports that were taken.
    /// - Throws: ``HTTPServerError``; its code tells a port in use from one that is not allowed.
    public func start() async throws(HTTPServerError) -> [BoundAddress] {
        var sockets: [ListeningSocket] = []
        do throws(HTTPServerError) {
            let isFresh = self.state.withLock { if case .fresh = $0 { true } else { false } }
            guard isFresh else { throw HTTPServerError(.alreadyStarted, "the server was started before") }
            for address in self.configuration.listen {
                sockets.append(
                    try ListeningSocket(
                        address,
                        backlog: self.configuration.backlog,
                        unixSocketMode: self.configuration.unixSocketMode
                    )
                )
            }
        } catch {
            for socket in sockets { socket.close() }
            throw error
        }
        let turn = Listener.Turn()
        var listeners: [Listener] = []
        for (index, socket) in sockets.enumerated() {
            let loop = self.loops[index % self.loops.count]
            let listener = Listener(
                socket,
                loop: loop,
                servers: self.servers,
                turn: turn,
                shared: self.shared,
                logger: self.logger,
                accept: self.accept
            )
            listeners.append(listener)
            if let error = await Self.open(listener, on: loop) {
                for socket in sockets[listeners.count...] { socket.close() }
                await self.close(listeners)
                throw HTTPServerError(listeningOn: "\(socket.bound)", errorNumber: error.errorNumber)
            }
        }
        let opened = listeners
        self.state.withLock { $0 = .started(opened) }
        for socket in sockets {
            self.logger.notice("listening", ["address": .string(socket.bound.description)])
        }
        return sockets.map(\.bound)
    }

    /// Stops listening, closes what is idle, tells the handlers of WebSocket connections, and waits until the answers that
    /// are owed are out and those connections over.
    ///
    /// Those that are not over shortly before the limit are closed with 1001.
    ///
    /// - Parameter limit: How long to wait at most; what is open then stays so until ``stop()``.
    public func drain(within limit: Duration) async {
        await self.stopListening()
        for server in self.servers {
            await server.loop.perform { server.drain() }
        }
        let loop = self.loops[0]
        let servers = self.servers
        // What is closed needs some of the time for the answer to that.
        let grace = min(self.configuration.webSocket.closeTimeout, limit / 4)
        await self.shared.untilEmpty { end in
            loop.execute {
                loop.schedule(at: loop.now + limit, end)
                loop.schedule(at: loop.now + limit - grace) {
                    for server in servers { server.loop.execute { server.closeWebSockets() } }
                }
            }
        }
    }

    /// Stops listening and closes every connection; responders at work are cancelled.
    public func stop() async {
        await self.stopListening()
        for server in self.servers {
            await server.loop.perform { server.closeAll() }
        }
    }

    private func stopListening() async {
        let listeners = self.state.withLock { state in
            defer { state = .ended }
            if case .started(let listeners) = state { return listeners }
            return []
        }
        await self.close(listeners)
    }

    private func close(_ listeners: [Listener]) async {
        for (index, listener) in listeners.enumerated() {
            await self.loops[index % self.loops.count].perform { listener.close() }
        }
    }

    private static func open(_ listener: Listener, on loop: EventLoop) async -> EventLoopError? {
        await loop.perform {
            do throws(EventLoopError) {
                try listener.open()
                return nil
            } catch {
                return error
            }
        }
    }
}
