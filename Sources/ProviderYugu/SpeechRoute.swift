internal import GatewayCore
internal import HTTPWire

/// `POST /api/v1/tts/generate`: a text in, the address of its speech out, billed once (contract yugu, section 6.1).
struct SpeechRoute: Sendable {
    static let path = "/api/v1/tts/generate"
    /// The largest body in bytes; the platform's limit is not documented, and a text to be spoken is short.
    private static let maximumBody = 64 << 10

    let provider: YuguProvider

    var route: Route {
        Route(.post, Self.path) { exchange async throws(GatewayError) in try await self.answer(exchange) }
    }

    private func answer(_ exchange: Exchange) async throws(GatewayError) -> HTTPResponse {
        try await exchange.answerPaid { () throws(GatewayError) in
            try self.provider.access.admit(exchange, for: .tts)
        } _: { admission, key async throws(GatewayError) in
            try await self.provider.calls.perform(try await self.request(exchange, admission, key: key))
        }
    }

    private func request(
        _ exchange: Exchange,
        _ admission: Admission,
        key: IdempotencyKey
    ) async throws(GatewayError) -> PaidCalls.Request {
        let json = try await exchange.receiveJSON(limit: Self.maximumBody, storage: self.provider.bodies)
        let principal = try admission.principal(of: json)
        let operation = SpeechOperation(
            baseURL: self.provider.configuration.baseURL,
            body: try SpeechBody(json)
        )
        return PaidCalls.Request(
            operation: operation,
            principal: principal,
            key: key,
            body: json,
            path: Self.path,
            accounts: self.provider.accounts,
            requestID: exchange.requestID
        )
    }
}
