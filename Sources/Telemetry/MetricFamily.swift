/// The series of one metric, by label values that were fixed when it was made.
public struct MetricFamily<Key: Hashable & Sendable, Metric: Sendable>: Sendable {
    private let series: [Key: Metric]
    /// Takes what belongs to no declared key.
    private let other: Metric

    init(series: [(Key, Metric)], other: Metric) {
        self.series = Dictionary(uniqueKeysWithValues: series)
        self.other = other
    }
}

extension MetricFamily where Key: MetricLabels {
    /// The series of label values.
    public subscript(_ labels: Key) -> Metric { self.series[labels] ?? self.other }

    /// The series of two label values.
    public subscript<First, Second>(_ first: First, _ second: Second) -> Metric
    where Key == MetricLabelPair<First, Second> {
        self[MetricLabelPair(first, second)]
    }
}

extension MetricFamily where Key == String {
    /// The series of a value; all values that were not declared share the series `other`.
    public subscript(_ value: String) -> Metric { self.series[value] ?? self.other }
}

/// Counters by label values.
public typealias CounterFamily<Key: Hashable & Sendable> = MetricFamily<Key, Counter>
/// Gauges by label values.
public typealias GaugeFamily<Key: Hashable & Sendable> = MetricFamily<Key, Gauge>
/// Histograms by label values.
public typealias HistogramFamily<Key: Hashable & Sendable> = MetricFamily<Key, Histogram>
