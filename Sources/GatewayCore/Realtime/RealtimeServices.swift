internal import HTTPWire
internal import Telemetry

/// What every realtime session needs.
struct RealtimeServices: Sendable {
    /// Times and limits beside those of a round.
    let configuration: RealtimeConfiguration
    /// Ends rounds, which is what is paid for.
    let calls: PaidCalls
    /// Our accounts at the platform.
    let accounts: AccountPool
    /// Makes connections to the platform.
    let transport: any WebSocketTransport
    /// Where audio is kept, and what digests it.
    let bodies: BodyStorage
    /// The sessions that run.
    let registry: RealtimeRegistry
    let metrics: RealtimeMetrics

    var upstream: UpstreamServices { self.calls.services }
    var clock: GatewayClock { self.calls.services.clock }
    var logger: Logger { self.calls.services.logger }
}
