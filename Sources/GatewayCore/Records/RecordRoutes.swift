internal import HTTPWire
public import Store

/// `/v1/records`: what was paid for, as a list and one by one (design, section 7).
public struct RecordRoutes: Sendable {
    private static let usualLimit = 50
    private static let maximumLimit = 500

    private let access: ClientAccess
    private let store: Store
    private let cursors: RecordCursor

    /// Takes what it needs.
    public init(access: ClientAccess, store: Store) {
        self.access = access
        self.store = store
        self.cursors = RecordCursor(secret: store.fingerprintKey)
    }

    /// The routes.
    public var routes: [Route] {
        [
            Route(.get, "/v1/records") { exchange async throws(GatewayError) in try self.list(exchange) },
            Route(.get, "/v1/records/{recordId}") { exchange async throws(GatewayError) in try self.show(exchange) },
        ]
    }

    /// A page, newest first.
    private func list(_ exchange: Exchange) throws(GatewayError) -> HTTPResponse {
        let principal = try self.access.principal(of: exchange, for: .records)
        let query = try QueryParameters(
            exchange.head.query,
            known: ["userId", "from", "to", "cursor", "limit"]
        )
        let filter = try self.filter(query, of: principal)
        let limit = try query.limit(default: Self.usualLimit, maximum: Self.maximumLimit)
        let position: RecordPosition? =
            if let cursor = query.text("cursor") { try self.cursors.position(cursor, of: filter) } else { nil }
        var records: [RecordSummary]
        do {
            // One more tells whether there is another page.
            records = try self.store.records(filter, behind: position, limit: limit + 1)
        } catch {
            throw .storeUnavailable
        }
        var next: String?
        if records.count > limit {
            records.removeLast()
            next = records.last.map { self.cursors.text($0.position, of: filter) }
        }
        let format = ListFormat(accepting: exchange.head.fields)
        var fields = HTTPFields()
        fields.append(.contentType, format.rawValue)
        // The line forms have no place for it in their content.
        if let next { fields.append(.nextCursor, next) }
        let body = ListPage.records(records, nextCursor: next).bytes(as: format, isFirst: position == nil)
        return HTTPResponse(status: HTTPStatus(200), fields: fields, body: body)
    }

    /// A principal that stands for a user sees that user's records only.
    private func filter(_ query: QueryParameters, of principal: Principal) throws(GatewayError) -> RecordFilter {
        let wanted = try query.user("userId")
        if let own = principal.user, let wanted, wanted != own {
            throw .forbidden("userId: this request speaks for another user; leave it out.")
        }
        let time = try query.time()
        return RecordFilter(
            client: principal.client,
            user: principal.user ?? wanted,
            from: time.lowerBound,
            to: time.upperBound
        )
    }

    private func show(_ exchange: Exchange) throws(GatewayError) -> HTTPResponse {
        let principal = try self.access.principal(of: exchange, for: .records)
        let record: RecordRow?
        do {
            let recordID = exchange.parameter ?? ""
            record = try self.store.record(recordID, client: principal.client, user: principal.user)
        } catch {
            throw .storeUnavailable
        }
        guard let record else { throw .notFound("There is no such record.") }
        var fields = HTTPFields()
        fields.append(.contentType, record.answer.contentType)
        fields.append(.recordCreated, Timestamp.text(unixMilliseconds: record.createdAt))
        fields.append(.recordOperation, record.operation)
        if let user = record.user { fields.append(.speechGateUser, user) }
        fields.append(.idempotencyKey, record.key)
        fields.append(.upstreamKey, record.upstreamKey)
        return HTTPResponse(status: HTTPStatus(record.answer.status), fields: fields, body: record.answer.body)
    }
}
