public import Telemetry

/// What realtime sessions count.
public struct RealtimeMetrics: Sendable {
    /// How rounds end.
    enum Ending: String, CaseIterable {
        /// With a result of their own.
        case result
        /// With a result that was there before.
        case replayed
        /// With an error frame.
        case failed
        /// The client left before the end.
        case cancelled

        fileprivate var help: String {
            switch self {
            case .result: "Realtime rounds that ended with a result of their own."
            case .replayed: "Realtime rounds that ended with a result that was there before."
            case .failed: "Realtime rounds that ended with an error frame."
            case .cancelled: "Realtime rounds whose client left before the end."
            }
        }
    }

    private let endings: [(ending: Ending, counter: Counter)]
    let reconnects: Counter
    let overflows: Counter
    let refusedSpool: Counter
    let suppressedProgress: Counter

    /// Registers everything but the number of sessions, which is the registry's.
    public init(registry: MetricsRegistry) {
        self.endings = Ending.allCases.map { ending in
            (ending, registry.counter("speechgate_realtime_rounds_\(ending.rawValue)_total", ending.help))
        }
        self.reconnects = registry.counter(
            "speechgate_realtime_reconnects_total",
            "Connections to platforms that were lost in a round and made again."
        )
        self.overflows = registry.counter(
            "speechgate_realtime_overflows_total",
            "Rounds that ended because audio to replay was no longer kept."
        )
        self.refusedSpool = registry.counter(
            "speechgate_realtime_refused_spool_total",
            "Rounds whose audio the spool had no room for."
        )
        self.suppressedProgress = registry.counter(
            "speechgate_realtime_suppressed_progress_total",
            "Progress frames kept back because they would go back."
        )
    }

    func count(_ ending: Ending) {
        self.endings.first { $0.ending == ending }?.counter.increment()
    }
}
