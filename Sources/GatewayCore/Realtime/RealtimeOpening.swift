public import Telemetry

/// What the handshake of a realtime session said.
public struct RealtimeOpening: Sendable {
    /// Who asks.
    public let principal: Principal
    /// How the platform and the client write.
    public let dialect: any RealtimeDialect
    /// The id of the handshake in the log.
    public let requestID: String
    /// The trace that the handshake named; nil for none.
    public var trace: TraceContext?
    /// The key of rounds that bring none of their own; nil for one made for each.
    public var key: IdempotencyKey?
    /// What becomes of audio when the platform's connection breaks; nil as the client's limits say.
    public var policy: BufferPolicy?

    /// Takes the parts.
    public init(principal: Principal, dialect: any RealtimeDialect, requestID: String) {
        self.principal = principal
        self.dialect = dialect
        self.requestID = requestID
    }
}
