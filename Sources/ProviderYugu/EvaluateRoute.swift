internal import GatewayCore
internal import HTTPWire

/// `POST /api/v1/evaluate`: a recording in, its scores out, billed once (contract yugu, section 4).
struct EvaluateRoute: Sendable {
    static let path = "/api/v1/evaluate"

    let provider: YuguProvider

    var route: Route {
        Route(.post, Self.path) { exchange async throws(GatewayError) in try await self.answer(exchange) }
    }

    private func answer(_ exchange: Exchange) async throws(GatewayError) -> HTTPResponse {
        try await exchange.answerPaid { () throws(GatewayError) in
            try self.provider.access.admit(exchange, for: .evaluate)
        } _: { admission, key async throws(GatewayError) in
            // Nothing here keeps the request: it is for the call to decide how long its content stays.
            try await self.provider.calls.perform(try await self.request(exchange, admission, key: key))
        }
    }

    private func request(
        _ exchange: Exchange,
        _ admission: Admission,
        key: IdempotencyKey
    ) async throws(GatewayError) -> PaidCalls.Request {
        let form = try await exchange.receiveForm(
            fileParts: EvaluateForm.fileParts,
            storage: self.provider.bodies,
            admission: admission
        )
        let principal = try admission.principal(of: form)
        let operation = EvaluateOperation(
            baseURL: self.provider.configuration.baseURL,
            form: try EvaluateForm(form)
        )
        try principal.require(coreType: operation.form.coreType)
        return PaidCalls.Request(
            operation: operation,
            principal: principal,
            key: key,
            form: form,
            path: Self.path,
            accounts: self.provider.accounts,
            requestID: exchange.requestID
        )
    }
}
