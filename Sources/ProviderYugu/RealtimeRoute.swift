internal import GatewayCore
internal import HTTPWire

/// `WS /api/v1/ws/evaluate` and `WS /{coreType}`: audio in as it is spoken, its scores out, billed once (contract yugu,
/// section 10).
struct RealtimeRoute: Sendable {
    let sessions: RealtimeSessions
    let dialect: YuguDialect

    var route: Route {
        Route(.get, self.dialect.path) { exchange async throws(GatewayError) in
            try await self.sessions.open(exchange, dialect: self.dialect)
        }
    }
}
