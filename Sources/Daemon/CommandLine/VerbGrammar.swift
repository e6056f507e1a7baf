/// The form of a verb: what may follow it, and what its help says.
struct VerbGrammar: Sendable {
    /// An option.
    struct Option: Sendable {
        /// The name with its dashes.
        let name: String
        /// What the value is called in the help; nil for an option without a value.
        let value: String?
        /// Whether it may be given several times.
        var isRepeatable = false
        /// What it does, for the help.
        let help: String
    }

    /// The words that name the verb: one, or two as in `client add`.
    let words: [String]
    /// What the positional arguments are called; all are required.
    var positionals: [String] = []
    /// The options, without `--help` which every verb has.
    var options: [Option] = []
    /// What the verb does, one line.
    let summary: String
    /// What else there is to know, lines.
    var details: [String] = []
    /// Commands that work as they stand.
    let examples: [String]

    /// The verb as it is typed.
    var name: String { self.words.joined(separator: " ") }

    /// The verb with its arguments.
    var synopsis: String {
        var parts = ["speechgate", self.name] + self.positionals
        if !self.options.isEmpty { parts.append("[OPTION]...") }
        return parts.joined(separator: " ")
    }

    /// The whole help.
    var help: String {
        var lines = [self.summary, "", "Usage: " + self.synopsis]
        if !self.details.isEmpty { lines += [""] + self.details }
        let options = self.options + [Option(name: "--help", value: nil, help: "print this text")]
        let left = options.map { option in option.value.map { "\(option.name) \($0)" } ?? option.name }
        lines += ["", "Options:"] + HelpText.columns(Array(zip(left, options.map(\.help))))
        lines += ["", "Examples:"] + self.examples.map { "  " + $0 }
        return lines.joined(separator: "\n")
    }
}

/// All verbs.
extension VerbGrammar {
    static let config = Option(
        name: "--config",
        value: "FILE",
        help: "the configuration; else $SPEECHGATE_CONFIG, else \(ConfigurationFile.defaultPath)"
    )

    /// All verbs, in the order of the help.
    static let all = Self.serving + Self.clients + Self.claims + Self.records + [Self.stream]
}

/// Lays out help.
enum HelpText {
    /// Two columns; text of the second that has several lines stays in its column.
    static func columns(_ rows: [(String, String)]) -> [String] {
        let width = rows.map(\.0.count).max() ?? 0
        var lines: [String] = []
        for (left, right) in rows {
            let texts = right.split(separator: "\n", omittingEmptySubsequences: false)
            for (index, text) in texts.enumerated() {
                let label = index == 0 ? left : ""
                lines.append("  " + label + String(repeating: " ", count: width - label.count + 2) + text)
            }
        }
        return lines
    }
}
