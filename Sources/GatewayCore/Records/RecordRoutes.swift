internal import HTTPWire
public import Store

/// `GET /v1/records/{recordId}`: the stored answer's own bytes (design, section 7).
public struct RecordRoutes: Sendable {
    private let access: ClientAccess
    private let store: Store

    /// Takes what it needs.
    public init(access: ClientAccess, store: Store) {
        self.access = access
        self.store = store
    }

    /// The routes.
    public var routes: [Route] {
        [Route(.get, "/v1/records/{recordId}") { exchange async throws(GatewayError) in try self.show(exchange) }]
    }

    private func show(_ exchange: Exchange) throws(GatewayError) -> HTTPResponse {
        let principal = try self.access.principal(of: exchange, for: .records)
        let record: RecordRow?
        do {
            // A client credential sees all of its client's records; only tokens are bound to their user.
            record = try self.store.record(
                exchange.parameter ?? "",
                client: principal.client,
                user: principal.boundUser
            )
        } catch {
            throw .storeUnavailable
        }
        guard let record else { throw .notFound("There is no such record.") }
        var fields = HTTPFields()
        fields.append(.contentType, record.answer.contentType)
        return HTTPResponse(status: HTTPStatus(200), fields: fields, body: record.answer.body)
    }
}
