/// The program's version.
enum Version {
    /// As `--version` and `/version` tell it.
    static let current = "0.1.0"
}
