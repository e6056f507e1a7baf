internal import HTTPWire
internal import JSONScan
internal import Store

/// `DELETE /v1/records/{recordId}` and `DELETE /v1/users/{userId}` (design, section 7).
public struct ErasureRoutes: Sendable {
    private let access: ClientAccess
    private let erasures: Erasures

    /// Takes what it needs.
    public init(access: ClientAccess, erasures: Erasures) {
        self.access = access
        self.erasures = erasures
    }

    /// The routes.
    public var routes: [Route] {
        [
            Route(.delete, "/v1/records/{recordId}") { exchange async throws(GatewayError) in
                try await self.eraseRecord(exchange)
            },
            Route(.delete, "/v1/users/{userId}") { exchange async throws(GatewayError) in
                try await self.eraseUser(exchange)
            },
        ]
    }

    private func eraseRecord(_ exchange: Exchange) async throws(GatewayError) -> HTTPResponse {
        let principal = try self.access.principal(of: exchange, for: .erase)
        let recordID = exchange.parameter ?? ""
        let counts: ErasedCounts?
        do {
            counts = try await self.erasures.eraseRecord(
                recordID,
                client: principal.client,
                user: principal.user,
                by: principal.client
            )
        } catch {
            throw .storeUnavailable
        }
        guard let counts else { throw .notFound("There is no such record.") }
        return Self.answer("recordId", recordID, counts, isComplete: true)
    }

    private func eraseUser(_ exchange: Exchange) async throws(GatewayError) -> HTTPResponse {
        let principal = try self.access.principal(of: exchange, for: .erase)
        let user = exchange.parameter ?? ""
        guard UserID.isValid(user) else {
            throw .invalid("userId: the path must end in a user of 1 to 128 letters, digits or . _ : @ -")
        }
        if let own = principal.user, own != user {
            throw .forbidden("userId: this request speaks for another user.")
        }
        let progress: ErasureProgress
        do {
            progress = try await self.erasures.eraseUser(user, client: principal.client, by: principal.client)
        } catch {
            throw .storeUnavailable
        }
        return Self.answer("userId", user, progress.counts, isComplete: progress.isComplete)
    }

    private static func answer(
        _ name: String,
        _ value: String,
        _ counts: ErasedCounts,
        isComplete: Bool
    ) -> HTTPResponse {
        var json = JSONWriter()
        json.object { json in
            json.member(name, value)
            counts.describe(isComplete: isComplete, into: &json)
        }
        var fields = HTTPFields()
        fields.append(.contentType, "application/json")
        return HTTPResponse(status: HTTPStatus(isComplete ? 200 : 202), fields: fields, body: json.bytes)
    }
}
