internal import GatewayCore
internal import HTTPWire

/// A recording in, its scores out, billed once: one route for each form in which it can be sent.
struct EvaluateRoute: Sendable {
    let provider: YuguProvider
    let surface: EvaluateSurface

    var route: Route {
        Route(.post, self.surface.path) { exchange async throws(GatewayError) in try await self.answer(exchange) }
    }

    private func answer(_ exchange: Exchange) async throws(GatewayError) -> HTTPResponse {
        try await exchange.answerPaid { () throws(GatewayError) in
            try self.provider.access.principal(of: exchange.head, for: .evaluate)
        } _: { principal, key async throws(GatewayError) in
            // Nothing here keeps the request: it is for the call to decide how long its content stays.
            try await self.provider.calls.perform(try await self.request(exchange, of: principal, key: key))
        }
    }

    private func request(
        _ exchange: Exchange,
        of principal: Principal,
        key: IdempotencyKey
    ) async throws(GatewayError) -> PaidCalls.Request {
        let form = try await exchange.receiveForm(
            fileParts: self.surface.fileParts,
            storage: self.provider.bodies,
            client: principal.client
        )
        let operation = EvaluateOperation(
            baseURL: self.provider.configuration.baseURL,
            surface: self.surface,
            form: try self.surface.form(form)
        )
        return PaidCalls.Request(
            operation: operation,
            scope: CallScope(client: principal.client, user: principal.user, key: key),
            form: form,
            path: self.surface.path,
            accounts: self.provider.accounts,
            requestID: exchange.requestID
        )
    }
}
