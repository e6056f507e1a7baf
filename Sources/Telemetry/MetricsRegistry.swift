private import Locking

/// The metrics of a process, and their text for Prometheus.
///
/// A metric is made once, when the process is wired together, and handed to whoever counts. Making two of one name is a
/// mistake in the program and traps, as does a name outside Prometheus' grammar.
///
/// ```swift
/// let requests = registry.counters("speechgate_requests_total", "Requests by outcome.", by: Outcome.self)
/// requests[.answered].increment()
/// ```
public final class MetricsRegistry: Sendable {
    /// The media type of ``exposition()``.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private struct Entry: Sendable {
        let name: String
        let write: @Sendable (inout MetricsText) -> Void
    }

    private let entries = Locked<[Entry]>([])

    /// Makes an empty registry.
    public init() {}

    // MARK: Counters

    /// Makes a counter; by custom its name ends in `_total`.
    public func counter(_ name: String, _ help: String) -> Counter {
        let counter = Counter()
        self.counter(name, help) { counter.value }
        return counter
    }

    /// Declares a counter that is kept elsewhere and read at each scrape.
    public func counter(_ name: String, _ help: String, reading read: @escaping @Sendable () -> UInt64) {
        self.add(name) { text in
            text.begin(name, help, .counter)
            text.sample(name, value: read())
        }
    }

    /// Makes a counter for each value of a closed set of labels.
    public func counters<Labels: MetricLabels>(
        _ name: String,
        _ help: String,
        by labels: Labels.Type
    ) -> CounterFamily<Labels> {
        self.family(name, help, .counter, by: labels, make: Counter.init) { text, labels, counter in
            text.sample(name, labels, value: counter.value)
        }
    }

    /// Makes a counter for each value of a label that is known now, and one for all others.
    public func counters(_ name: String, _ help: String, label: String, values: [String]) -> CounterFamily<String> {
        self.family(name, help, .counter, label, values, make: Counter.init) { text, labels, counter in
            text.sample(name, labels, value: counter.value)
        }
    }

    /// Makes a counter for each pair of values of two labels that are known now.
    ///
    /// - Returns: For each value of the first label, the counters of the second one's values, in the given order.
    public func counters(
        _ name: String,
        _ help: String,
        by first: (label: String, values: [String]),
        and second: (label: String, values: [String])
    ) -> [[Counter]] {
        Self.check(labelNames: [first.label, second.label])
        let counters = first.values.map { _ in second.values.map { _ in Counter() } }
        self.add(name) { text in
            text.begin(name, help, .counter)
            for (value, row) in zip(first.values, counters) {
                for (otherValue, counter) in zip(second.values, row) {
                    text.sample(name, [(first.label, value), (second.label, otherValue)], value: counter.value)
                }
            }
        }
        return counters
    }

    // MARK: Gauges

    /// Makes a gauge.
    public func gauge(_ name: String, _ help: String) -> Gauge {
        let gauge = Gauge()
        self.gauge(name, help) { gauge.value }
        return gauge
    }

    /// Declares a gauge whose value is asked for at each scrape.
    public func gauge(_ name: String, _ help: String, reading read: @escaping @Sendable () -> Double) {
        self.add(name) { text in
            text.begin(name, help, .gauge)
            text.sample(name, value: read())
        }
    }

    /// Makes a gauge for each value of a closed set of labels.
    public func gauges<Labels: MetricLabels>(
        _ name: String,
        _ help: String,
        by labels: Labels.Type
    ) -> GaugeFamily<Labels> {
        self.family(name, help, .gauge, by: labels, make: Gauge.init) { text, labels, gauge in
            text.sample(name, labels, value: gauge.value)
        }
    }

    /// Makes a gauge for each value of a label that is known now, and one for all others.
    public func gauges(_ name: String, _ help: String, label: String, values: [String]) -> GaugeFamily<String> {
        self.family(name, help, .gauge, label, values, make: Gauge.init) { text, labels, gauge in
            text.sample(name, labels, value: gauge.value)
        }
    }

    /// Declares gauges whose values are asked for, all at once, at each scrape; a missing value counts as 0.
    public func gauges<Labels: MetricLabels>(
        _ name: String,
        _ help: String,
        by labels: Labels.Type,
        reading read: @escaping @Sendable () -> [Labels: Double]
    ) {
        Self.check(labelNames: Labels.labelNames)
        self.add(name) { text in
            let values = read()
            text.begin(name, help, .gauge)
            for labels in Labels.allLabels {
                text.sample(name, MetricsText.pairs(of: labels), value: values[labels] ?? 0)
            }
        }
    }

    // MARK: Histograms

    /// Makes a histogram.
    ///
    /// - Parameter bounds: The upper bounds of its buckets, ascending and finite. The default suits durations in
    ///   seconds.
    public func histogram(
        _ name: String,
        _ help: String,
        bounds: [Double] = Histogram.durationBounds
    ) -> Histogram {
        let histogram = Histogram(bounds: bounds)
        self.add(name) { text in
            text.begin(name, help, .histogram)
            text.histogram(name, [], histogram)
        }
        return histogram
    }

    /// Makes a histogram for each value of a closed set of labels.
    ///
    /// - Parameter bounds: The upper bounds of the buckets, ascending and finite. The default suits durations in
    ///   seconds.
    public func histograms<Labels: MetricLabels>(
        _ name: String,
        _ help: String,
        by labels: Labels.Type,
        bounds: [Double] = Histogram.durationBounds
    ) -> HistogramFamily<Labels> {
        precondition(!Labels.labelNames.contains("le"), "`le` is the histogram's own label")
        func make() -> Histogram { Histogram(bounds: bounds) }
        return self.family(name, help, .histogram, by: labels, make: make) { text, labels, histogram in
            text.histogram(name, labels, histogram)
        }
    }

    // MARK: Text

    /// All metrics in Prometheus' text format 0.0.4, in the order in which they were made.
    public func exposition() -> [UInt8] {
        let entries = self.entries.withLock { $0 }
        var text = MetricsText()
        // Outside the lock: readings may take locks of their own.
        for entry in entries { entry.write(&text) }
        return text.bytes
    }

    private func family<Labels: MetricLabels, Metric: Sendable>(
        _ name: String,
        _ help: String,
        _ kind: MetricsText.Kind,
        by labels: Labels.Type,
        make: () -> Metric,
        sample: @escaping @Sendable (inout MetricsText, [MetricsText.Label], Metric) -> Void
    ) -> MetricFamily<Labels, Metric> {
        Self.check(labelNames: Labels.labelNames)
        let series = Labels.allLabels.map { ($0, make()) }
        self.add(name) { text in
            text.begin(name, help, kind)
            for (labels, metric) in series { sample(&text, MetricsText.pairs(of: labels), metric) }
        }
        return MetricFamily(series: series, other: make())
    }

    private func family<Metric: Sendable>(
        _ name: String,
        _ help: String,
        _ kind: MetricsText.Kind,
        _ label: String,
        _ values: [String],
        make: () -> Metric,
        sample: @escaping @Sendable (inout MetricsText, [MetricsText.Label], Metric) -> Void
    ) -> MetricFamily<String, Metric> {
        Self.check(labelNames: [label])
        let other = make()
        let series = values.filter { $0 != "other" }.map { ($0, make()) }
        self.add(name) { text in
            text.begin(name, help, kind)
            for (value, metric) in series + [("other", other)] { sample(&text, [(label, value)], metric) }
        }
        return MetricFamily(series: series, other: other)
    }

    private func add(_ name: String, write: @escaping @Sendable (inout MetricsText) -> Void) {
        precondition(MetricsText.isMetricName(name), "\(name) is no metric name")
        self.entries.withLock { entries in
            precondition(!entries.contains { $0.name == name }, "\(name) was declared before")
            entries.append(Entry(name: name, write: write))
        }
    }

    private static func check(labelNames: [String]) {
        for name in labelNames { precondition(MetricsText.isLabelName(name), "\(name) is no label name") }
        precondition(Set(labelNames).count == labelNames.count, "label names differ")
    }
}
