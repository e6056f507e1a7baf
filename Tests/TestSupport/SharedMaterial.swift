public import FoundationEssentials

/// The material that lies beside the repository: contracts, fixtures and tools.
///
/// Tests that need it are skipped without.
public enum SharedMaterial {
    /// The folder named by `SPEECHGATE_SHARED`, else `../shared` beside the package; nil when there is none.
    public static let folder: URL? = {
        let named = ProcessInfo.processInfo.environment["SPEECHGATE_SHARED"]
        let package = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let folder = named.map { URL(filePath: $0) } ?? package.deletingLastPathComponent().appending(path: "shared")
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()

    /// Whether its absence is a failure (`SPEECHGATE_REQUIRE_SHARED=1`).
    public static var isRequired: Bool {
        ProcessInfo.processInfo.environment["SPEECHGATE_REQUIRE_SHARED"] == "1"
    }

    /// Whether a test that needs it runs: it is there, or has to be.
    public static var isExpected: Bool {
        self.folder != nil || self.isRequired
    }
}
