public import HTTPWire
public import Telemetry

/// What every call to a platform needs.
public struct UpstreamServices: Sendable {
    /// Sends requests.
    public let transport: any HTTPTransport
    /// Reads time.
    public let clock: GatewayClock
    /// When to try again.
    public let policy: RetryPolicy
    /// Holds clients to their limits.
    public let limiter: ClientLimiter
    /// The largest answer in bytes.
    public let maximumAnswer: Int
    /// Takes what operators should know.
    public let logger: Logger
    /// Counts.
    public let metrics: GatewayMetrics

    /// Takes the parts.
    ///
    /// - Parameter maximumAnswer: In bytes; the default is 8 MiB.
    public init(
        transport: any HTTPTransport,
        clock: GatewayClock = .system,
        policy: RetryPolicy = RetryPolicy(),
        limiter: ClientLimiter = ClientLimiter(),
        maximumAnswer: Int = 8 << 20,
        logger: Logger,
        metrics: GatewayMetrics
    ) {
        self.transport = transport
        self.clock = clock
        self.policy = policy
        self.limiter = limiter
        self.maximumAnswer = maximumAnswer
        self.logger = logger
        self.metrics = metrics
    }
}
