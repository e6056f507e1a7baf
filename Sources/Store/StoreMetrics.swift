public import Telemetry

/// What the store measures of its transactions; whoever shows it registers it.
public struct StoreMetrics: Sendable {
    /// How long transactions take, to the end of their commit.
    public let transactionTime = Histogram(
        .durations([
            .microseconds(100), .microseconds(250), .microseconds(500), .milliseconds(1), .microseconds(2_500),
            .milliseconds(5), .milliseconds(10), .milliseconds(25), .milliseconds(50), .milliseconds(100),
            .milliseconds(250), .seconds(1), .seconds(5),
        ])
    )
    /// How many writes they hold.
    public let transactionWrites = Histogram(.counts([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]))
}

extension Store {
    /// What the write-ahead log held after the last transaction.
    public var logBytes: Int { self.writer.statistics.logBytes }

    /// What the store measures.
    public var metrics: StoreMetrics { self.writer.metrics }
}
