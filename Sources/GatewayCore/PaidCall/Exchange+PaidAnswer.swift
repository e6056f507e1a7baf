public import HTTPWire

extension Exchange {
    /// Answers a paid route: whatever happens, the answer names the key under which it happened.
    ///
    /// - Parameters:
    ///   - authenticate: Says who asks; a refusal comes before any other.
    ///   - work: Does what the route is for.
    public func answerPaid(
        authenticating authenticate: () throws(GatewayError) -> Principal,
        _ work: (Principal, IdempotencyKey) async throws(GatewayError) -> HTTPResponse
    ) async throws(GatewayError) -> HTTPResponse {
        var key: IdempotencyKey?
        do throws(GatewayError) {
            key = try? IdempotencyKey(of: self.head)
            let principal = try authenticate()
            let valid = try key ?? IdempotencyKey(of: self.head)
            var response = try await work(principal, valid)
            response.fields.append(.idempotencyKey, valid.text)
            return response
        } catch {
            var error = error
            error.idempotencyKey = key?.text
            throw error
        }
    }
}
