public import Telemetry

/// What the gateway counts.
///
/// Labels come from closed sets: routes and status classes, never from a request.
public struct GatewayMetrics: Sendable {
    let attempts: Counter
    let retries: Counter
    let replays: Counter
    let unknownOutcomes: Counter
    let failovers: Counter

    /// Registers everything but the requests, whose routes are known later.
    public init(registry: MetricsRegistry) {
        self.attempts = registry.counter("speechgate_upstream_attempts_total", "Requests sent to platforms.")
        self.retries = registry.counter("speechgate_upstream_retries_total", "Attempts beyond a call's first.")
        self.replays = registry.counter("speechgate_replays_total", "Paid requests answered without a new call.")
        self.failovers = registry.counter(
            "speechgate_account_failovers_total",
            "Paid calls that went on to another account."
        )
        self.unknownOutcomes = registry.counter(
            "speechgate_unknown_outcomes_total",
            "Paid calls that may have been executed without an answer."
        )
    }
}
