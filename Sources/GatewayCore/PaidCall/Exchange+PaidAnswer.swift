public import HTTPWire

extension Exchange {
    /// Answers a paid route: whatever happens, the answer names the key under which it happened.
    ///
    /// - Parameters:
    ///   - calls: What the route is for goes through these.
    ///   - admit: Says who asks; a refusal comes before any other.
    ///   - work: Does what the route is for.
    public func answerPaid(
        through calls: PaidCalls,
        admitting admit: () throws(GatewayError) -> Admission,
        _ work: (Admission, IdempotencyKey) async throws(GatewayError) -> HTTPResponse
    ) async throws(GatewayError) -> HTTPResponse {
        let parsed = Self.key(of: self.head)
        do throws(GatewayError) {
            let admission = try admit()
            let key = try parsed.get()
            // Said before the body is read; a request that came earlier is finished.
            guard !self.isDraining else { throw .draining }
            if case .accepted(let principal) = admission { try calls.checkHead(of: principal, key) }
            var response = try await work(admission, key)
            response.fields.append(.idempotencyKey, key.text)
            return response
        } catch {
            var error = error
            if case .success(let key) = parsed { error.idempotencyKey = key.text }
            throw error
        }
    }

    private static func key(of head: HTTPRequestHead) -> Result<IdempotencyKey, GatewayError> {
        do {
            return .success(try IdempotencyKey(of: head))
        } catch {
            return .failure(error)
        }
    }
}
