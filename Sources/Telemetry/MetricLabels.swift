/// A closed set of label values, or of combinations of them: every series that can exist does exist from the start.
public protocol MetricLabels: Hashable, Sendable {
    /// The labels' names.
    static var labelNames: [String] { get }
    /// All combinations of values.
    static var allLabels: [Self] { get }
    /// The values, in the order of the names.
    var labelValues: [String] { get }
}

/// One label with a closed set of values; an enumeration of strings needs to add its label's name only.
public protocol MetricLabel: MetricLabels, CaseIterable, RawRepresentable where RawValue == String {
    /// The label's name.
    static var labelName: String { get }
}

extension MetricLabel {
    /// The labels' names.
    public static var labelNames: [String] { [self.labelName] }

    /// All combinations of values.
    public static var allLabels: [Self] { Array(self.allCases) }

    /// The values, in the order of the names.
    public var labelValues: [String] { [self.rawValue] }
}

/// Two labels together, each combination a series.
public struct MetricLabelPair<First: MetricLabel, Second: MetricLabel>: MetricLabels {
    /// The first label's value.
    public let first: First
    /// The second label's value.
    public let second: Second

    /// Takes the values.
    public init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    /// The labels' names.
    public static var labelNames: [String] { First.labelNames + Second.labelNames }

    /// All combinations of values.
    public static var allLabels: [Self] {
        First.allCases.flatMap { first in Second.allCases.map { Self(first, $0) } }
    }

    /// The values, in the order of the names.
    public var labelValues: [String] { self.first.labelValues + self.second.labelValues }
}
