/// What a client may be allowed to do.
enum ClientScope: String, CaseIterable, Sendable {
    case evaluate, tts, report, realtime, records, erase, tokens, usage

    /// What a client may do unless it was made with `--scopes`: everything that shows nobody else's data and deletes
    /// nothing.
    static let defaults: [ClientScope] = [.evaluate, .tts, .report, .realtime, .records]

    /// All names, separated by commas.
    static var list: String { Self.allCases.map(\.rawValue).joined(separator: ",") }

    /// The names of the defaults, separated by commas.
    static var defaultList: String { Self.defaults.map(\.rawValue).joined(separator: ",") }
}
