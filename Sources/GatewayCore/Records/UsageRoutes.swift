internal import Cryptography
internal import HTTPWire
public import Store

/// `GET /v1/usage`: what a client used (design, section 7).
public struct UsageRoutes: Sendable {
    private static let usualLimit = 1_000
    private static let maximumLimit = 10_000

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
        [Route(.get, "/v1/usage") { exchange async throws(GatewayError) in try await self.list(exchange) }]
    }

    private func list(_ exchange: Exchange) async throws(GatewayError) -> HTTPResponse {
        let principal = try self.access.principal(of: exchange, for: .usage)
        let query = try QueryParameters(exchange.head.query, known: ["groupBy", "from", "to", "cursor", "limit"])
        guard let grouping = UsageGrouping(rawValue: query.text("groupBy") ?? UsageGrouping.day.rawValue) else {
            let known = UsageGrouping.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("groupBy: one of \(known) is wanted.")
        }
        let limit = try query.limit(default: Self.usualLimit, maximum: Self.maximumLimit)
        let filter = UsageFilter(client: principal.client, user: principal.user, time: try query.time())
        let cursor = try query.text("cursor").map(Self.group)
        var rows: [UsageRow]
        do {
            // What was counted up to now belongs to the answer.
            try await self.calls.flushUsage()
            rows = try await self.store.usage(filter, by: grouping, after: cursor, limit: limit + 1)
        } catch {
            throw .storeUnavailable
        }
        var next: String?
        if rows.count > limit {
            rows.removeLast()
            next = rows.last.map { Base64.encode(Array($0.group.utf8), as: .urlSafe) }
        }
        let format = ListFormat(accepting: exchange.head.fields)
        var fields = HTTPFields()
        fields.append(.contentType, format.rawValue)
        if let next { fields.append(.nextCursor, next) }
        let body = ListPage.usage(rows, by: grouping, nextCursor: next).bytes(as: format, isFirst: cursor == nil)
        return HTTPResponse(status: HTTPStatus(200), fields: fields, body: body)
    }

    /// The group that a page ended with: it names nothing but a place in the caller's own list.
    private static func group(_ cursor: String) throws(GatewayError) -> String {
        guard cursor.utf8.count < 256, let bytes = Base64.decode(cursor, as: .urlSafe),
            let group = String(validating: bytes, as: UTF8.self)
        else { throw .invalid("cursor: send the nextCursor of the page before.") }
        return group
    }
}
