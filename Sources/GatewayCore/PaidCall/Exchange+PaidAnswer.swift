public import HTTPWire

extension Exchange {
    /// Answers a paid route: whatever happens, the answer names the key under which it happened.
    public func answeringPaid(
        _ key: IdempotencyKey,
        _ work: () async throws(GatewayError) -> HTTPResponse
    ) async throws(GatewayError) -> HTTPResponse {
        do {
            var response = try await work()
            response.fields.append(.idempotencyKey, key.text)
            return response
        } catch {
            var error = error
            error.idempotencyKey = key.text
            throw error
        }
    }
}
