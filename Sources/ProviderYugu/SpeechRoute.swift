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
        try await exchange.answerPaid(through: self.provider.calls) { () throws(GatewayError) in
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
        let (json, principal) = try await exchange.receiveJSON(
            limit: Self.maximumBody,
            storage: self.provider.bodies,
            admission: admission
        )
        let operation = SpeechOperation(
            baseURL: self.provider.configuration.baseURL,
            body: try SpeechBody(json),
            address: self.address(for: principal)
        )
        var request = PaidCalls.Request(
            operation: operation,
            principal: principal,
            key: key,
            body: json,
            path: Self.path,
            accounts: self.provider.accounts,
            requestID: exchange.requestID
        )
        request.trace = exchange.trace
        return request
    }

    /// How the principal gets the address of an audio: by way of the gateway where that is wanted, else as it is.
    private func address(for principal: Principal) -> @Sendable (String) -> String {
        guard let relay = self.provider.relay else { return { $0 } }
        let owner = SpeechRelay.Owner(client: principal.client, user: principal.user)
        let baseURL = self.provider.configuration.baseURL
        let clock = self.provider.upstream.clock
        return { url in
            relay.address(of: url, for: owner, baseURL: baseURL, now: clock.unixMilliseconds()) ?? url
        }
    }
}
