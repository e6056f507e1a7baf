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
/// - ``begin(listeningOn:)``, ``finish(_:)``, ``abandon(_:)``, ``change(limits:)``
/// - ``statistics``
public final class HTTPServer: Sendable {
    /// What a server has done; each number is exact, the set of them is not of one moment.
    public struct Statistics: Hashable, Sendable {
        /// Connections that are open now.
        public var openConnections: Int
        /// Connections accepted so far, those turned away included.
        public var acceptedConnections: Int
        /// Connections turned away because there were too many: answered with 503, or closed.
        public var shedConnections: Int
        /// Connections closed because the process ran out of descriptors or watches.
        public var refusedConnections: Int
        /// Requests handed to the responder so far.
        public var requests: Int
        /// WebSocket connections that are open now.
        public var openWebSockets: Int
        /// WebSocket connections opened so far.
        public var openedWebSockets: Int
        /// Requests for a WebSocket that were turned away because there were too many.
        public var shedWebSockets: Int
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
    private let logger: Logger
    private let shared: ServerShared
    private let servers: [ServerLoop]
    private let factory: ListenerFactory
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
        let servers = loops.map { loop in
            ServerLoop(loop: loop, shared: shared, responder: responder, configuration: configuration)
        }
        self.configuration = configuration
        self.logger = logger
        self.shared = shared
        self.servers = servers
        self.factory = ListenerFactory(
            backlog: configuration.backlog,
            unixSocketMode: configuration.unixSocketMode,
            servers: servers,
            shared: shared,
            logger: logger,
            accept: accept
        )
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
        let isFresh = self.state.withLock { if case .fresh = $0 { true } else { false } }
        guard isFresh else { throw HTTPServerError(.alreadyStarted, "the server was started before") }
        let listeners = try await self.factory.open(self.configuration.listen, besides: [])
        self.state.withLock { $0 = .started(listeners) }
        return listeners.map(\.socket.bound)
    }

    /// Listens on further addresses, as the first step of a change: what is listened on now stays so.
    ///
    /// Two steps, so that several servers can change together or not at all.
    ///
    /// - Parameter addresses: All that shall be listened on in the end; those that are already are left as they are.
    /// - Returns: What ``finish(_:)`` completes or ``abandon(_:)`` takes back, before another change begins.
    /// - Throws: ``HTTPServerError`` when one of them cannot be listened on; nothing has changed then.
    public func begin(listeningOn addresses: [ListenAddress]) async throws(HTTPServerError) -> ListenerChange {
        let current: [Listener]? = self.state.withLock { state in
            if case .started(let listeners) = state { listeners } else { nil }
        }
        guard let current else { throw HTTPServerError(.notServing, "the server does not serve; it may be stopping") }
        let plan = ListenerChange.Plan(from: current.map(\.address), to: addresses)
        let added = try await self.factory.open(plan.added, besides: current)
        return ListenerChange(plan, current: current, added: added)
    }

    /// Completes a change: what is not to be listened on any more is closed, and the connections that came over it go on.
    public func finish(_ change: ListenerChange) async {
        let isServing = self.state.withLock { state in
            guard case .started = state else { return false }
            state = .started(change.listeners)
            return true
        }
        // A server that was stopped meanwhile knows nothing of the added ones.
        guard isServing else { return await self.abandon(change) }
        for listener in change.removed {
            await listener.retire()
            self.noteEnd(of: listener)
        }
    }

    /// Takes a change back.
    public func abandon(_ change: ListenerChange) async {
        for listener in change.added {
            await listener.end()
            self.noteEnd(of: listener)
        }
    }

    private func noteEnd(of listener: Listener) {
        self.logger.notice("no longer listening", ["address": .string(listener.socket.bound.description)])
    }

    /// Takes over the limits of another configuration, for all that begins from now on: connections, requests, deadlines.
    ///
    /// Where to listen, how sockets are made and how WebSocket connections behave stay as they are.
    public func change(limits configuration: Configuration) {
        self.shared.change(to: configuration)
        for server in self.servers {
            server.loop.execute { server.change(to: configuration) }
        }
    }

    /// Stops listening, closes what is idle, after a second also what has not sent a request yet, tells the handlers of
    /// WebSocket connections, and waits until the answers that are owed are out and those connections over.
    ///
    /// Those that are not over shortly before the limit are closed with 1001.
    ///
    /// - Parameter limit: How long to wait at most; what is open then stays so until ``stop()``.
    public func drain(within limit: Duration) async {
        await self.stopListening()
        for server in self.servers {
            await server.loop.perform { server.drain() }
        }
        let loop = self.servers[0].loop
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
        for listener in listeners {
            // Who waits at a socket that came with the process is served by the next one.
            if case .inherited = listener.address { await listener.end() } else { await listener.retire() }
        }
    }
}
