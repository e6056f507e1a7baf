internal import EventLoop
public import HTTPWire
internal import Locking
public import Telemetry

/// The realtime sessions of a gateway at one platform: opens them, and looks after them while they run.
public struct RealtimeSessions: Sendable {
    private let services: RealtimeServices
    private let access: ClientAccess

    /// Takes what sessions need.
    ///
    /// - Parameters:
    ///   - transport: Opens connections to the platform.
    ///   - metrics: Takes the sessions' own.
    public init(
        configuration: RealtimeConfiguration = RealtimeConfiguration(),
        access: ClientAccess,
        calls: PaidCalls,
        accounts: AccountPool,
        bodies: BodyStorage,
        transport: any WebSocketTransport,
        metrics: MetricsRegistry
    ) {
        let registry = RealtimeRegistry()
        self.access = access
        self.services = RealtimeServices(
            configuration: configuration,
            calls: calls,
            accounts: accounts,
            transport: transport,
            bodies: bodies,
            registry: registry,
            metrics: RealtimeMetrics(registry: metrics)
        )
        metrics.gauge("speechgate_realtime_sessions", "Realtime sessions that are open.") { Double(registry.count) }
    }

    /// Answers a handshake.
    ///
    /// - Throws: 401, 403, 429, 400/40001 for a malformed handshake, 503 while the gateway goes down.
    public func open(
        _ exchange: Exchange,
        dialect: any RealtimeDialect
    ) async throws(GatewayError) -> HTTPResponse {
        let query = try HandshakeQuery(exchange.head.query)
        let principal = try await self.access.principal(ofHandshake: exchange, query: query, for: .realtime)
        guard !exchange.isDraining else { throw .draining }
        let handshake: WebSocketServerHandshake
        do throws(WebSocketHandshakeError) {
            handshake = try WebSocketServerHandshake(exchange.head, origins: self.services.configuration.origins)
        } catch {
            return self.refusal(of: error, exchange)
        }
        var opening = RealtimeOpening(principal: principal, dialect: dialect, requestID: exchange.requestID)
        opening.trace = exchange.trace.context
        opening.key = query.idempotencyKey
        if let text = query["bufferPolicy"] {
            guard let policy = BufferPolicy(rawValue: text) else {
                throw .invalid("bufferPolicy must be replay, drop or fail.")
            }
            opening.policy = policy
        }
        var response = HTTPResponse(status: HTTPStatus(101))
        response.upgrade = WebSocketUpgrade(
            handshake,
            owner: principal.client,
            handler: RealtimeHandler(opening, self.services)
        )
        return response
    }

    /// The answer to a request that opens no connection, with the fields that say what would (RFC 6455, section 4.4).
    private func refusal(of error: WebSocketHandshakeError, _ exchange: Exchange) -> HTTPResponse {
        var response = GatewayError.badHandshake(error)
            .response(requestID: exchange.requestID, timestamp: self.services.clock.unixMilliseconds())
        for index in 0..<error.fields.count {
            guard let name = HTTPField.Name(error.fields.name(at: index)) else { continue }
            response.fields.append(name, error.fields.value(at: index))
        }
        return response
    }

    /// Looks after the sessions until the task is cancelled: one whose credential holds no longer is closed, and one
    /// that does nothing.
    public func watch() async {
        let interval = self.services.configuration.credentialInterval
        while (try? await self.services.clock.sleep(interval)) != nil {
            for session in self.services.registry.all {
                await session.look(isCredentialCurrent: self.access.isCurrent(session.principal))
            }
        }
    }
}

/// Serves the connection of one session.
final class RealtimeHandler: WebSocketHandler {
    private let opening: RealtimeOpening
    private let services: RealtimeServices
    private let connection = Locked<RealtimeConnection?>(nil)

    init(_ opening: RealtimeOpening, _ services: RealtimeServices) {
        self.opening = opening
        self.services = services
    }

    func run(_ channel: any WebSocketChannel) async {
        guard let loop = EventLoop.current else { preconditionFailure("a connection is served on its loop") }
        let connection = RealtimeConnection(
            self.opening,
            channel: channel,
            services: self.services,
            executor: loop.executor
        )
        self.connection.withLock { $0 = connection }
        await connection.run()
        self.connection.withLock { $0 = nil }
    }

    func drain(_ channel: any WebSocketChannel) {
        guard let connection = self.connection.withLock({ $0 }) else {
            return channel.close(WebSocketClose(.goingAway, reason: "the gateway is shutting down"))
        }
        Task { await connection.drain() }
    }
}
