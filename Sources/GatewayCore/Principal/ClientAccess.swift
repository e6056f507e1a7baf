public import HTTPWire

/// Says who makes a request, and whether it may.
public struct ClientAccess: Sendable {
    private let authentication: Authentication
    private let limiter: ClientLimiter

    /// Looks clients up in a directory.
    ///
    /// - Parameter limiter: Counts every request of a client that was found.
    public init(clients: ClientDirectory, limiter: ClientLimiter = ClientLimiter()) {
        self.authentication = Authentication(clients: clients)
        self.limiter = limiter
    }

    /// The principal of a request, whatever its credential covers.
    ///
    /// - Throws: 401/40100, 400/40001 for a malformed user, 429/42900 beyond its rate.
    public func principal(of head: HTTPRequestHead) throws(GatewayError) -> Principal {
        let principal = try self.authentication.principal(of: head)
        try self.limiter.countRequest(of: principal)
        return principal
    }

    /// The principal of a request whose credential covers an operation.
    ///
    /// - Throws: 401/40100, 400/40001 for a malformed user, 429/42900 beyond its rate, 403/40300.
    public func principal(of head: HTTPRequestHead, for scope: Scope) throws(GatewayError) -> Principal {
        let principal = try self.principal(of: head)
        try principal.require(scope)
        return principal
    }
}
