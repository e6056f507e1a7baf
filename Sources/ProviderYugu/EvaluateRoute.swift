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
        try await exchange.answerPaid(through: self.provider.calls) { () throws(GatewayError) in
            try self.provider.access.admit(exchange, for: .evaluate)
        } _: { admission, key async throws(GatewayError) in
            let (request, warnings) = try await self.request(exchange, admission, key: key)
            do throws(GatewayError) {
                // Nothing here keeps the request: it is for the call to decide how long its content stays.
                var response = try await self.provider.calls.perform(consume request)
                // Replays are not prechecked (design, section 4, step 4).
                if let warnings, response.fields[.idempotencyReplayed] == nil {
                    response.fields.append(.warnings, warnings)
                }
                return response
            } catch {
                var error = error
                error.warnings = warnings
                throw error
            }
        }
    }

    private func request(
        _ exchange: Exchange,
        _ admission: Admission,
        key: IdempotencyKey
    ) async throws(GatewayError) -> (PaidCalls.Request, warnings: String?) {
        let precheck = self.provider.upstream.limiter.limits(of: admission.client).precheck
        let (form, principal) = try await self.receive(exchange, admission, judging: precheck != .off)
        let verdict = form.part(named: EvaluateForm.audioName)?.verdict
        let operation = EvaluateOperation(
            baseURL: self.provider.configuration.baseURL,
            surface: self.surface,
            form: try self.surface.form(form)
        )
        try principal.require(coreType: operation.form.coreType)
        var request = PaidCalls.Request(
            operation: operation,
            principal: principal,
            key: key,
            form: form,
            path: self.surface.path,
            accounts: self.provider.accounts,
            requestID: exchange.requestID
        )
        request.trace = exchange.trace
        request.refusal = precheck.refusal(verdict)
        // A refusal says itself what was found.
        return (request, request.refusal == nil ? precheck.warnings(verdict) : nil)
    }

    private func receive(
        _ exchange: Exchange,
        _ admission: Admission,
        judging isJudged: Bool
    ) async throws(GatewayError) -> (form: ReceivedForm, principal: Principal) {
        do throws(GatewayError) {
            return try await exchange.receiveForm(
                fileParts: self.surface.fileParts,
                recording: isJudged ? EvaluateForm.audioName : nil,
                storage: self.provider.bodies,
                admission: admission
            )
        } catch {
            throw self.surface.refusal(error)
        }
    }
}
