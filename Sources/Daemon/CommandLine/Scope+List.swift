internal import GatewayCore

extension Scope {
    /// What a client may do unless it was made with `--scopes`: everything that shows nobody else's data and deletes
    /// nothing.
    static let clientDefaults: [Scope] = [.evaluate, .tts, .report, .realtime, .records]

    /// All names, separated by commas.
    static var list: String { Self.allCases.map(\.rawValue).joined(separator: ",") }

    /// The names of the defaults, separated by commas.
    static var defaultList: String { Self.clientDefaults.map(\.rawValue).joined(separator: ",") }
}
