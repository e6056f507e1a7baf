/// A label with a closed set of values: every series that can exist does exist from the start.
///
/// An enumeration of strings needs to add its label's name only.
public protocol MetricLabel: Hashable, Sendable, CaseIterable, RawRepresentable where RawValue == String {
    /// The label's name.
    static var labelName: String { get }
}
