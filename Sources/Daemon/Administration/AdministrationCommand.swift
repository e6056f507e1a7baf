/// What the command line can ask a daemon, or a store, to do.
enum AdministrationCommand: Hashable, Codable, Sendable {
    /// Makes a client.
    case addClient(name: String, scopes: [String])
    /// Lists all clients.
    case listClients
    /// Ends a client.
    case revokeClient(name: String)
    /// Lists calls that were sent and have no answer, from behind a row on.
    case listClaims(after: Int64)
    /// Reads the configuration again.
    case reload
    /// Decides a call whose outcome is unknown.
    case settleClaim(key: String, client: String, user: String?, billed: Bool)

    /// The verb, for logs.
    var name: String {
        switch self {
        case .addClient: "client add"
        case .listClients: "client list"
        case .revokeClient: "client revoke"
        case .listClaims: "claims list"
        case .reload: "reload"
        case .settleClaim: "claims settle"
        }
    }
}
