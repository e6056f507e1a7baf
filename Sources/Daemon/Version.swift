internal import Telemetry

/// The program's version.
enum Version: String, MetricLabel {
    static let labelName = "version"

    /// As `--version` and `/version` tell it.
    case current = "0.1.0"
}
