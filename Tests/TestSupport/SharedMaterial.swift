public import Foundation

/// The contracts and fixtures that stand beside the repository and not in it.
public enum SharedMaterial {
    /// The folder named by `SPEECHGATE_SHARED`, else `shared` beside the package; nil when there is none.
    ///
    /// With `SPEECHGATE_REQUIRE_SHARED=1` the folder is taken for granted, so that a test without it fails instead of
    /// being skipped.
    public static let directory: URL? = {
        let environment = ProcessInfo.processInfo.environment
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let directory =
            environment["SPEECHGATE_SHARED"].map { URL(fileURLWithPath: $0) }
            ?? package.appendingPathComponent("../shared").standardizedFileURL
        let isThere = FileManager.default.fileExists(atPath: directory.path)
        return isThere || environment["SPEECHGATE_REQUIRE_SHARED"] == "1" ? directory : nil
    }()

    /// Whether tests that need the folder run; for `@Test(.enabled(if:))`.
    public static var isAvailable: Bool { self.directory != nil }

    /// The content of one of its files.
    ///
    /// - Parameter path: Relative to the folder, for instance `fixtures/sign-vectors.json`.
    /// - Throws: When the file cannot be read.
    public static func read(_ path: String) throws -> Data {
        guard let directory = self.directory else { throw CocoaError(.fileNoSuchFile) }
        return try Data(contentsOf: directory.appendingPathComponent(path))
    }
}
