public import HTTPWire

/// Says who makes a request, and whether it may.
public struct ClientAccess: Sendable {
    private let authentication: Authentication

    /// Looks clients up in a directory.
    public init(clients: ClientDirectory) {
        self.authentication = Authentication(clients: clients)
    }

    /// The principal of a request, whatever its credential covers.
    ///
    /// - Throws: 401/40100, 400/40001 for a malformed user.
    public func principal(of head: HTTPRequestHead) throws(GatewayError) -> Principal {
        try self.authentication.principal(of: head)
    }

    /// The principal of a request whose credential covers an operation.
    ///
    /// - Throws: 401/40100, 400/40001 for a malformed user, 403/40300.
    public func principal(of head: HTTPRequestHead, for scope: Scope) throws(GatewayError) -> Principal {
        let principal = try self.authentication.principal(of: head)
        try principal.require(scope)
        return principal
    }
}
