internal import Store

extension PaidCalls {
    /// Refuses a call that would be refused behind its content, before that is read.
    ///
    /// What costs no call goes on, which is everything under a key that is known already. A store that cannot be read
    /// says so later.
    ///
    /// - Throws: 403/40300 for a token without calls, 503/50000 while the disk is nearly full.
    func checkHead(of principal: Principal, _ key: IdempotencyKey) throws(GatewayError) {
        guard self.standingRefusal(of: principal) != nil else { return }
        let scope = CallScope(client: principal.client, user: principal.user, key: key)
        guard !self.isRunning(scope), (try? self.isKnown(scope)) == false else { return }
        // A call under this key may have ended meanwhile, and have been given back.
        if let refusal = self.standingRefusal(of: principal) { throw refusal }
    }

    /// What a further call would be refused with, whatever it is; nil for nothing.
    ///
    /// It is read only: the claim alone takes a call of a token, and it alone is exact.
    func standingRefusal(of principal: Principal) -> GatewayError? {
        guard !self.isDiskLow else { return .diskLow }
        guard let use = principal.tokenUse, let used = try? self.store.tokenCalls(use.tokenID) else { return nil }
        return used < use.maximumCalls ? nil : .tokenExhausted
    }

    private func isKnown(_ scope: CallScope) throws(StoreError) -> Bool {
        if try self.store.lookUp(scope.hash) != nil { return true }
        return try self.store.isErased(scope.hash)
    }
}
