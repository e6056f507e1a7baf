private import Locking

/// The metrics of a process, and their text for Prometheus.
///
/// A metric is made once, when the process is wired together, and handed to whoever counts. Making two of one name is a
/// mistake in the program and traps, as does a name outside Prometheus' grammar.
///
/// ```swift
/// let requests = registry.counter("speechgate_requests_total", "Requests.")
/// requests.increment()
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

    /// Makes a counter for each value of a label.
    public func counters<Label: MetricLabel>(_ name: String, _ help: String, by label: Label.Type) -> [Label: Counter] {
        Self.check(labelNames: [Label.labelName])
        let counters = Dictionary(uniqueKeysWithValues: Label.allCases.map { ($0, Counter()) })
        self.add(name) { text in
            text.begin(name, help, .counter)
            for label in Label.allCases {
                text.sample(name, [(Label.labelName, label.rawValue)], value: counters[label]?.value ?? 0)
            }
        }
        return counters
    }

    /// Declares a counter for each value of a label; the values are asked for, all at once, at each scrape, and a missing
    /// one counts as 0.
    public func counters<Label: MetricLabel>(
        _ name: String,
        _ help: String,
        by label: Label.Type,
        reading read: @escaping @Sendable () -> [Label: UInt64]
    ) {
        Self.check(labelNames: [Label.labelName])
        self.add(name) { text in
            let values = read()
            text.begin(name, help, .counter)
            for label in Label.allCases {
                text.sample(name, [(Label.labelName, label.rawValue)], value: values[label] ?? 0)
            }
        }
    }

    /// Makes a counter of time that counts milliseconds; the text shows seconds.
    public func millisecondCounter(_ name: String, _ help: String) -> Counter {
        let counter = Counter()
        self.add(name) { text in
            text.begin(name, help, .counter)
            text.sample(name, value: Double(counter.value) / 1_000)
        }
        return counter
    }

    /// Makes a counter for each combination of the values of labels that are known now.
    ///
    /// - Returns: The counters, those of the last label's values side by side.
    public func counters(
        _ name: String,
        _ help: String,
        by labels: [(label: String, values: [String])]
    ) -> [Counter] {
        Self.check(labelNames: labels.map(\.label))
        let series = labels.reduce([[]]) { rows, label in
            rows.flatMap { row in label.values.map { row + [(name: label.label, value: $0)] } }
        }
        let counters = series.map { (labels: [MetricsText.Label]) in (labels, Counter()) }
        self.add(name) { text in
            text.begin(name, help, .counter)
            for (labels, counter) in counters { text.sample(name, labels, value: counter.value) }
        }
        return counters.map(\.1)
    }

    // MARK: Histograms

    /// Declares a histogram.
    public func add(_ histogram: Histogram, _ name: String, _ help: String) {
        self.add(name) { text in
            text.begin(name, help, .histogram)
            text.samples(name, of: histogram.reading)
        }
    }

    /// Makes a histogram for each value of a label.
    public func histograms<Label: MetricLabel>(
        _ name: String,
        _ help: String,
        _ bounds: Histogram.Bounds,
        by label: Label.Type
    ) -> [Label: Histogram] {
        Self.check(labelNames: [Label.labelName])
        let histograms = Dictionary(uniqueKeysWithValues: Label.allCases.map { ($0, Histogram(bounds)) })
        self.add(name) { text in
            text.begin(name, help, .histogram)
            for label in Label.allCases {
                guard let histogram = histograms[label] else { continue }
                text.samples(name, [(Label.labelName, label.rawValue)], of: histogram.reading)
            }
        }
        return histograms
    }

    // MARK: Gauges

    /// Declares a gauge whose value is asked for at each scrape.
    public func gauge(_ name: String, _ help: String, reading read: @escaping @Sendable () -> Double) {
        self.add(name) { text in
            text.begin(name, help, .gauge)
            text.sample(name, value: read())
        }
    }

    /// Declares a gauge for each value of a label; the values are asked for, all at once, at each scrape, and a missing
    /// one counts as 0.
    public func gauges<Label: MetricLabel>(
        _ name: String,
        _ help: String,
        by label: Label.Type,
        reading read: @escaping @Sendable () -> [Label: Double]
    ) {
        Self.check(labelNames: [Label.labelName])
        self.add(name) { text in
            let values = read()
            text.begin(name, help, .gauge)
            for label in Label.allCases {
                text.sample(name, [(Label.labelName, label.rawValue)], value: values[label] ?? 0)
            }
        }
    }

    /// Declares a gauge for the values that a label has at each scrape: names from a configuration that may change.
    public func gauges(
        _ name: String,
        _ help: String,
        by label: String,
        reading read: @escaping @Sendable () -> [(value: String, reading: Double)]
    ) {
        Self.check(labelNames: [label])
        self.add(name) { text in
            let values = read()
            text.begin(name, help, .gauge)
            for (value, reading) in values { text.sample(name, [(label, value)], value: reading) }
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
