internal import Cryptography

/// Who makes a request: a client, and the user it acts for where it named one.
public struct Principal: Hashable, Sendable {
    /// What the caller proved itself with.
    public enum Credential: Hashable, Sendable {
        /// An API key of the client.
        case apiKey
        /// A token for one user.
        case token(id: String)
        /// A signature with the client's signing credential.
        case signature
    }

    /// What a credential was checked against.
    enum Proof: Hashable, Sendable {
        /// The hash of an API key.
        case key(Digest256)
        /// A token, and the generation of its client's secrets.
        case token(AccessToken, version: Int)
        /// The client's signing credential, that of any generation which was valid then.
        case signature(versions: [Int])
    }

    /// The client's name, chosen by the operator.
    public let client: String
    /// The user the client acts for, whose records alone are seen then; nil sees all of the client's.
    public let user: String?
    /// What the credential may do.
    public let scopes: Set<Scope>
    /// The kinds of evaluation that the credential may use; nil for all.
    public var coreTypes: Set<String>?
    /// What the caller proved itself with.
    public var credential = Credential.apiKey
    /// When the credential ends by itself, in Unix milliseconds.
    public var expiresAt: Int64?
    /// What was checked, so that it can be checked again.
    var proof: Proof?
    /// How many calls a token may make; nil for any number.
    public var maximumCalls: Int?

    /// Takes the parts that every principal has.
    public init(client: String, user: String?, scopes: Set<Scope>) {
        self.client = client
        self.user = user
        self.scopes = scopes
    }

    /// Refuses an operation that the credential does not cover.
    ///
    /// - Throws: 403/40300.
    public func require(_ scope: Scope) throws(GatewayError) {
        guard self.scopes.contains(scope) else {
            throw .forbidden("The credential lacks the scope '\(scope.rawValue)'; ask the operator to grant it.")
        }
    }

    /// Refuses a kind of evaluation that the credential does not cover.
    ///
    /// - Throws: 403/40300.
    public func require(coreType: String) throws(GatewayError) {
        guard self.coreTypes?.contains(coreType) ?? true else {
            throw .forbidden("The credential does not cover this coreType; ask the operator to grant it.")
        }
    }
}

/// What a credential may do (design, section 7).
public enum Scope: String, Hashable, Sendable, CaseIterable {
    case evaluate
    case tts
    case report
    case realtime
    case records
    case erase
    case tokens
    case usage

    /// What a token may do unless it is made for something else.
    public static let tokenDefaults: [Scope] = [.evaluate, .tts, .report, .realtime]
}
