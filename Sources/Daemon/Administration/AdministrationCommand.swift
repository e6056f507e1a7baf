/// What the command line can ask a daemon, or a store, to do.
enum AdministrationCommand: Hashable, Codable, Sendable {
    /// Makes a client.
    case addClient(ClientDescription)
    /// Lists all clients.
    case listClients
    /// Gives a client new credentials; the old ones stay valid for some time.
    case rotateClient(name: String, overlapSeconds: Int)
    /// Ends a client.
    case revokeClient(name: String)
    /// Makes a token.
    case makeToken(TokenDescription)
    /// Takes back a token, or all of a user or client.
    case revokeTokens(client: String, user: String?, tokenID: String?)
    /// Lists calls that were sent and have no answer, from behind a row on.
    case listClaims(after: Int64)
    /// Decides a call whose outcome is unknown.
    case settleClaim(key: String, client: String, user: String?, billed: Bool)
    /// Lists records of a client.
    case listRecords(RecordListing)
    /// Shows the answer of a record.
    case showRecord(String, client: String)
    /// Erases a record.
    case eraseRecord(String, client: String)
    /// Erases all calls of a user.
    case eraseUser(String, client: String)
    /// Lists what was used.
    case listUsage(UsageListing)
    /// Copies the store to a new file, named by its whole path.
    case backUp(path: String)
    /// Has SQLite check the store.
    case checkIntegrity

    /// Whether it hands out what is derived from the master secret.
    var needsMaster: Bool {
        switch self {
        case .addClient, .rotateClient, .makeToken: true
        case .listClients, .revokeClient, .revokeTokens, .listClaims, .settleClaim, .listRecords, .showRecord,
            .eraseRecord, .eraseUser, .listUsage, .backUp, .checkIntegrity:
            false
        }
    }

    /// Whether it may take long before there is an answer.
    var isLong: Bool {
        switch self {
        case .backUp, .checkIntegrity: true
        default: false
        }
    }

    /// The verb, for logs.
    var name: String {
        switch self {
        case .addClient: "client add"
        case .listClients: "client list"
        case .rotateClient: "client rotate"
        case .revokeClient: "client revoke"
        case .makeToken: "token"
        case .revokeTokens: "token revoke"
        case .listClaims: "claims list"
        case .settleClaim: "claims settle"
        case .listRecords: "records list"
        case .showRecord: "records show"
        case .eraseRecord, .eraseUser: "records delete"
        case .listUsage: "usage"
        case .backUp: "backup"
        case .checkIntegrity: "doctor"
        }
    }
}

/// A client to be made.
struct ClientDescription: Hashable, Codable, Sendable {
    let name: String
    var label: String?
    var scopes: [String]
    /// Empty for all.
    var coreTypes: [String] = []
    /// Empty for everywhere.
    var addresses: [String] = []
    /// Seconds until its credentials end; nil for no end.
    var lifetimeSeconds: Int?
    /// Whether it gets a signing credential.
    var isSigning = false
}

/// A token to be made.
struct TokenDescription: Hashable, Codable, Sendable {
    let client: String
    let user: String
    var lifetimeSeconds = 7_200
    /// Nil for the usual ones.
    var scopes: [String]?
    /// Nil for any number.
    var maximumCalls: Int?
}
