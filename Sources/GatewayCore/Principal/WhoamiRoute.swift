internal import HTTPWire
internal import JSONScan
public import Store

/// `GET /v1/whoami`: what a credential is and may do.
public struct WhoamiRoute: Sendable {
    private let access: ClientAccess
    private let store: Store

    /// Takes what it needs.
    public init(access: ClientAccess, store: Store) {
        self.access = access
        self.store = store
    }

    /// The routes.
    public var routes: [Route] {
        [Route(.get, "/v1/whoami") { exchange async throws(GatewayError) in try self.show(exchange) }]
    }

    private func show(_ exchange: Exchange) throws(GatewayError) -> HTTPResponse {
        let principal = try self.access.principal(of: exchange)
        let calls = try self.calls(of: principal)
        var json = JSONWriter()
        json.object { json in
            json.member("client", principal.client)
            json.member("user", principal.user)
            json.member("credential", principal.credential.name)
            json.array("scopes") { list in
                for scope in Scope.allCases where principal.scopes.contains(scope) { list.element(scope.rawValue) }
            }
            if let coreTypes = principal.coreTypes {
                json.array("coreTypes") { list in
                    for coreType in coreTypes.sorted() { list.element(coreType) }
                }
            } else {
                json.null("coreTypes")
            }
            json.member("expiresAt", principal.expiresAt.map { Timestamp.text(unixMilliseconds: $0) })
            if case .token(let id) = principal.credential { json.member("tokenId", id) }
            json.object("limits") { json in
                if let calls {
                    json.member("maximumCalls", calls.maximum)
                    json.member("callsLeft", max(0, calls.maximum - calls.used))
                }
            }
        }
        var fields = HTTPFields()
        fields.append(.contentType, "application/json")
        return HTTPResponse(status: HTTPStatus(200), fields: fields, body: json.bytes)
    }

    private func calls(of principal: Principal) throws(GatewayError) -> (maximum: Int, used: Int)? {
        guard let use = principal.tokenUse else { return nil }
        do {
            return (use.maximumCalls, try self.store.tokenCalls(use.tokenID))
        } catch {
            throw .storeUnavailable
        }
    }
}

extension Principal.Credential {
    fileprivate var name: String {
        switch self {
        case .apiKey: "apiKey"
        case .token: "token"
        case .signature: "signature"
        }
    }
}
