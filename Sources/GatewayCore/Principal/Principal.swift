/// Who makes a request: a client, and the user it acts for where it named one.
public struct Principal: Hashable, Sendable {
    /// The client's name, chosen by the operator.
    public let client: String
    /// The user the client acts for, or nil.
    public let user: String?
    /// What the credential may do.
    public let scopes: Set<Scope>

    /// Takes the parts.
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
}
