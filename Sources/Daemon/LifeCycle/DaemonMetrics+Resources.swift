internal import GatewayCore
internal import Store
internal import Telemetry

/// What is used up, and by how much: accounts, budgets, the disk.
extension DaemonMetrics {
    /// Registers how the platform accounts stand.
    static func register(accounts pools: [AccountPool], in registry: MetricsRegistry) {
        func gauges(_ name: String, _ help: String, _ read: @escaping @Sendable (AccountStatus) -> Double) {
            registry.gauges(name, help, by: "account") {
                pools.flatMap { $0.status() }.map { ($0.name, read($0)) }
            }
        }
        gauges("speechgate_account_usable", "1 while the platform takes calls of the account, as far as it has said.") {
            $0.isUsable ? 1 : 0
        }
        gauges("speechgate_account_breaker_open", "1 while calls of some route are kept back because they failed.") {
            $0.isHeld ? 1 : 0
        }
        gauges("speechgate_account_waiting_calls", "Calls that wait for a slot of the account.") {
            Double($0.waitingCalls)
        }
        gauges(
            "speechgate_account_clock_offset_seconds",
            "How far the platform's clock is ahead of ours; 0 until it has refused a time."
        ) {
            $0.clockOffset / .seconds(1)
        }
    }

    /// What bodies are counted against.
    enum Budget: String, MetricLabel {
        static let labelName = "budget"

        case memory, unproven, spool
    }

    /// Registers what request bodies take up, and may.
    static func register(_ bodies: BodyStorage, limits: Configuration.Limits, in registry: MetricsRegistry) {
        registry.gauges(
            "speechgate_body_bytes",
            "What request bodies take up now: memory, that of unknown senders, files.",
            by: Budget.self
        ) {
            [
                .memory: Double(bodies.memoryBytes), .unproven: Double(bodies.unprovenBytes),
                .spool: Double(bodies.spoolBytes),
            ]
        }
        registry.gauges("speechgate_body_limit_bytes", "What request bodies may take up.", by: Budget.self) {
            [
                .memory: Double(limits.memoryBudget.bytes), .unproven: Double(limits.unprovenBudget.bytes),
                .spool: Double(limits.spoolBudget.bytes),
            ]
        }
    }

    /// Registers what room the state directory's disk has.
    static func register(_ disk: DiskWatch, in registry: MetricsRegistry) {
        registry.gauge("speechgate_disk_free_bytes", "Free bytes of the state directory's file system.") {
            disk.freeBytes.map(Double.init) ?? .nan
        }
    }

    /// Registers what the store measures of its writes.
    static func registerWrites(of store: Store, in registry: MetricsRegistry) {
        registry.add(
            store.metrics.transactionTime,
            "speechgate_store_commit_duration_seconds",
            "Time of the store's transactions, to the end of their commit."
        )
        registry.add(
            store.metrics.transactionWrites,
            "speechgate_store_batch_writes",
            "Writes that one transaction holds."
        )
        registry.gauge("speechgate_store_waiting_writes", "Writes that wait for their transaction.") {
            Double(store.statistics.waitingWrites)
        }
        registry.gauge("speechgate_store_wal_bytes", "Size of the store's write-ahead log.") { Double(store.logBytes) }
    }
}
