internal import Store

extension PaidCalls {
    /// Refuses a call that its token does not give, before its content is read.
    ///
    /// Only the claim takes a call of a token, and it alone is exact: what is refused here would be refused there, and
    /// whatever costs no call goes on, which is everything under a key that is known already. A store that cannot be read
    /// says so there, too.
    ///
    /// - Throws: 403/40300.
    func refuseExhausted(_ principal: Principal, _ key: IdempotencyKey) throws(GatewayError) {
        guard let use = principal.tokenUse, let used = try? self.store.tokenCalls(use.tokenID), used >= use.maximumCalls
        else { return }
        let scope = CallScope(client: principal.client, user: principal.user, key: key)
        guard !self.isRunning(scope), (try? self.isKnown(scope)) == false else { return }
        throw .tokenExhausted
    }

    private func isKnown(_ scope: CallScope) throws(StoreError) -> Bool {
        if try self.store.lookUp(scope.hash) != nil { return true }
        return try self.store.isErased(scope.hash)
    }
}
