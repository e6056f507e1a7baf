/// One thing that is wrong in a configuration.
struct ConfigurationIssue: Hashable, Sendable {
    /// The key's path from the outermost object, `limits.headTimeout`; nil for a fault in the text's syntax.
    let path: String?
    /// Where the key or the fault stands; nil for what is missing.
    let position: SourcePosition?
    /// What is wrong and what to do about it.
    let message: String

    /// The issue as one line: `FILE:key.path: what and why (line N)`, or `FILE:line:column: what` for syntax.
    func line(file: String) -> String {
        guard let path = self.path else {
            guard let position = self.position else { return "\(file): \(self.message)" }
            return "\(file):\(position.line):\(position.column): \(self.message)"
        }
        guard let position = self.position else { return "\(file):\(path): \(self.message)" }
        return "\(file):\(path): \(self.message) (line \(position.line))"
    }
}

/// A configuration that cannot be used, with everything that is wrong in it.
struct ConfigurationError: Error, Sendable {
    /// The file as it was named.
    let file: String
    /// What is wrong, in the order of the text.
    let issues: [ConfigurationIssue]

    /// One line per issue.
    var lines: [String] {
        self.issues.map { $0.line(file: self.file) }
    }
}

/// Gathers what is wrong while a configuration is read, so that all of it is reported at once.
final class ConfigurationReport {
    /// A key that no setting has.
    private struct UnknownKey {
        let key: String
        let parent: String
        let siblings: [String]
        let position: SourcePosition
    }

    private var issues: [ConfigurationIssue] = []
    private var unknownKeys: [UnknownKey] = []
    /// The path of every setting that was asked for, list elements without their index.
    private(set) var knownPaths: [String] = []

    /// Notes an issue.
    func add(_ path: String?, _ position: SourcePosition?, _ message: String) {
        self.issues.append(ConfigurationIssue(path: path, position: position, message: message))
    }

    /// Notes that a setting exists.
    func addKnown(_ path: String) {
        self.knownPaths.append(path)
    }

    /// Notes a key that no setting has.
    ///
    /// What it may have meant is judged when all settings are known.
    func addUnknown(_ key: String, in parent: String, siblings: [String], position: SourcePosition) {
        self.unknownKeys.append(UnknownKey(key: key, parent: parent, siblings: siblings, position: position))
    }

    /// Everything that is wrong, in the order of the text; what is missing comes last.
    func allIssues() -> [ConfigurationIssue] {
        let unknown = self.unknownKeys.map { unknown in
            ConfigurationIssue(
                path: ConfigurationObject.join(unknown.parent, unknown.key),
                position: unknown.position,
                message: "unknown key; \(self.advice(on: unknown))"
            )
        }
        return (self.issues + unknown).enumerated()
            .sorted { Self.order($0) < Self.order($1) }
            .map(\.element)
    }

    private static func order(_ entry: (offset: Int, element: ConfigurationIssue)) -> (Int, Int, Int) {
        let position = entry.element.position
        return (position?.line ?? .max, position?.column ?? .max, entry.offset)
    }

    private func advice(on unknown: UnknownKey) -> String {
        if let elsewhere = self.knownPaths.first(where: { $0 == unknown.key || $0.hasSuffix("." + unknown.key) }) {
            return "did you mean \"\(elsewhere)\"?"
        }
        if let near = Spelling.nearest(to: unknown.key, among: unknown.siblings) {
            return "did you mean \"\(near)\"?"
        }
        return "known here: " + unknown.siblings.joined(separator: ", ")
    }
}
