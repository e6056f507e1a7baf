internal import GatewayCore
internal import HTTPServer
internal import Store
internal import Telemetry

/// What the daemon itself shows in `/metrics`: its version, connections and the store's claims.
enum DaemonMetrics {
    /// The states of a key.
    enum ClaimState: String, MetricLabel {
        static let labelName = "state"

        case sent, unresolved, answered
        case settledBilled = "settled_billed"
    }

    /// Registers what is read from the store.
    static func register(_ store: Store, in registry: MetricsRegistry) {
        registry.gauges("speechgate_build_info", "The version that runs.", by: Version.self) { [.current: 1] }
        registry.gauges(
            "speechgate_claims",
            "Keys by state; sent and unresolved ones wait for an answer.",
            by: ClaimState.self
        ) {
            let counts = store.claimCounts()
            return [
                .sent: Double(counts.sent), .unresolved: Double(counts.unresolved),
                .answered: Double(counts.answered), .settledBilled: Double(counts.settledBilled),
            ]
        }
        registry.counter("speechgate_store_transactions_total", "Committed transactions.") {
            UInt64(clamping: store.statistics.transactions)
        }
        registry.gauge("speechgate_store_cached_bytes", "Answers kept in memory.") {
            Double(store.statistics.cachedBytes)
        }
    }

    /// Registers what the log does not show.
    static func register(_ logger: Logger, in registry: MetricsRegistry) {
        registry.counter("speechgate_log_lines_lost_total", "Log lines that there was no room for.") {
            logger.lostLines
        }
        registry.counter("speechgate_log_lines_left_out_total", "Log lines beyond log.linesPerSecond.") {
            logger.leftOutLines
        }
    }

    /// Registers what is known of the loops.
    static func register(_ watch: LoopWatch, in registry: MetricsRegistry) {
        registry.gauge("speechgate_loop_lag_seconds", "How long the slowest event loop took to answer last.") {
            watch.lag / .seconds(1)
        }
    }

    /// Registers how much the gateway is at.
    static func register(_ gateway: Gateway, in registry: MetricsRegistry) {
        registry.gauge("speechgate_requests_running", "Requests at work now.") { Double(gateway.runningRequests) }
    }

    /// Where an answer is that was paid for and is not stored.
    enum UnwrittenState: String, MetricLabel {
        static let labelName = "state"

        case waiting
        case setAside = "set_aside"
    }

    /// Registers what is read from the paid calls.
    static func register(_ calls: PaidCalls, in registry: MetricsRegistry) {
        registry.gauges(
            "speechgate_unwritten_answers",
            "Answers in memory only: those that wait for the store, and those that it does not take.",
            by: UnwrittenState.self
        ) {
            let counts = calls.unwrittenCounts
            return [.waiting: Double(counts.waiting), .setAside: Double(counts.aside)]
        }
    }

    /// Why a connection is turned away.
    enum ShedReason: String, MetricLabel {
        static let labelName = "reason"

        case connections, descriptors
        case webSockets = "websockets"
    }

    /// Registers what is read from the gateway's listeners.
    static func register(_ server: HTTPServer, in registry: MetricsRegistry) {
        registry.gauge("speechgate_connections_open", "Client connections open now.") {
            Double(server.statistics.openConnections)
        }
        registry.counter("speechgate_connections_accepted_total", "Client connections so far.") {
            UInt64(clamping: server.statistics.acceptedConnections)
        }
        registry.counters(
            "speechgate_connections_shed_total",
            "Client connections turned away: by limits.connections, by limits.webSockets.connections, for want of descriptors.",
            by: ShedReason.self
        ) {
            let statistics = server.statistics
            return [
                .connections: UInt64(clamping: statistics.shedConnections),
                .webSockets: UInt64(clamping: statistics.shedWebSockets),
                .descriptors: UInt64(clamping: statistics.refusedConnections),
            ]
        }
        registry.gauge("speechgate_websockets_open", "Client connections that are WebSockets now.") {
            Double(server.statistics.openWebSockets)
        }
        registry.counter("speechgate_websockets_opened_total", "WebSocket connections of clients so far.") {
            UInt64(clamping: server.statistics.openedWebSockets)
        }
        registry.gauge("speechgate_websocket_buffer_bytes", "What waits in memory for WebSocket connections.") {
            Double(server.statistics.webSocketBufferBytes)
        }
        registry.counter("speechgate_websocket_messages_received_total", "WebSocket messages of clients so far.") {
            UInt64(clamping: server.statistics.receivedMessages)
        }
        registry.counter("speechgate_websocket_messages_sent_total", "WebSocket messages to clients so far.") {
            UInt64(clamping: server.statistics.sentMessages)
        }
    }
}
