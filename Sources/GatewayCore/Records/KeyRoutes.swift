internal import HTTPWire
internal import JSONScan
public import Store

/// `GET /v1/keys/{key}`: what became of a call (design, section 4, step 8).
public struct KeyRoutes: Sendable {
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
        [Route(.get, "/v1/keys/{key}") { exchange async throws(GatewayError) in try self.show(exchange) }]
    }

    private func show(_ exchange: Exchange) throws(GatewayError) -> HTTPResponse {
        // Whoever may make calls may ask what became of them; the scope of a key is its caller's own.
        let principal = try self.access.principal(of: exchange)
        guard let key = IdempotencyKey(exchange.parameter ?? "") else {
            throw .invalid("The key in the path must be 1 to 200 printable ASCII characters, percent-encoded.")
        }
        let scope = CallScope(client: principal.client, user: principal.user, key: key)
        // Asked in this order: a call that runs no more has written what became of it.
        let isRunning = self.calls.isRunning(scope)
        let row: KeyRow?
        let isErased: Bool
        do {
            row = try self.store.lookUp(scope.hash)
            isErased = row == nil ? try self.store.isErased(scope.hash) : false
        } catch {
            throw .storeUnavailable
        }
        guard row != nil || isErased || isRunning else { throw .notFound("There is no call with this key.") }
        var json = JSONWriter()
        json.object { json in
            json.member("key", key.text)
            json.member("state", Self.state(row, isErased: isErased, isRunning: isRunning))
            json.member("recordId", row?.answer?.recordID)
            json.member("upstreamKey", row?.upstreamKey ?? self.calls.upstreamKey(of: scope))
            json.member("firstSentAt", row.map { Timestamp.text(unixMilliseconds: $0.firstSentAt) })
        }
        var fields = HTTPFields()
        fields.append(.contentType, "application/json")
        return HTTPResponse(status: HTTPStatus(200), fields: fields, body: json.bytes)
    }

    private static func state(_ row: KeyRow?, isErased: Bool, isRunning: Bool) -> String {
        if isErased { return "erased" }
        return row?.answer != nil ? "answered" : isRunning ? "running" : "unknown"
    }
}
