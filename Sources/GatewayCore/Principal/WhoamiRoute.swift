internal import HTTPWire
internal import JSONScan
public import Store

/// `GET /v1/whoami`: what a credential is and may do.
public struct WhoamiRoute: Sendable {
    private let access: ClientAccess
    private let calls: PaidCalls
    private let store: Store

    /// Takes what it needs.
    public init(access: ClientAccess, calls: PaidCalls, store: Store) {
        self.access = access
        self.calls = calls
        self.store = store
    }

    /// The routes.
    public var routes: [Route] {
        [Route(.get, "/v1/whoami") { exchange async throws(GatewayError) in try self.show(exchange) }]
    }

    private func show(_ exchange: Exchange) throws(GatewayError) -> HTTPResponse {
        let principal = try self.access.principal(of: exchange)
        let calls = try self.calls(of: principal)
        // How much of its day a client has used is not for each of its users to know.
        var client: StandingLimits?
        if principal.credential == .apiKey { client = try self.calls.limits(ofClient: principal.client) }
        let user = try principal.user.map { (user) throws(GatewayError) in
            try self.calls.limits(ofUser: user, of: principal.client)
        }
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
                if let client { json.object("client") { client.describe(to: &$0) } }
                if let user { json.object("user") { user.describe(to: &$0) } }
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

extension StandingLimits {
    /// Null is no limit.
    fileprivate func describe(to json: inout JSONObjectWriter) {
        if let rate = self.rate {
            json.object("rate") { json in
                json.member("requests", rate.count)
                json.member("seconds", rate.period / .seconds(1))
                json.member("burst", rate.burst)
            }
        } else {
            json.null("rate")
        }
        json.member("concurrency", self.concurrency)
        json.member("dailyCalls", self.daily.calls)
        json.member("dailyCallsLeft", self.rest?.allowance.calls)
        json.member("dailyAudioSeconds", Self.seconds(self.daily.audioMilliseconds))
        json.member("dailyAudioSecondsLeft", Self.seconds(self.rest?.allowance.audioMilliseconds))
        json.member("dayEndsAt", self.rest.map { Timestamp.text(unixMilliseconds: $0.resetsAt) })
    }

    private static func seconds(_ milliseconds: Int64?) -> Double? { milliseconds.map { Double($0) / 1000 } }
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
