extension WriterConnection {
    /// Counts a call against its token.
    ///
    /// - Returns: False, and nothing is written, when the token has made all its calls.
    func use(_ token: TokenUse) throws(StoreError) -> Bool {
        try self.statements.useToken.run {
            $0.bind(token.tokenID, at: 1)
            $0.bind(token.maximumCalls, at: 2)
            $0.bind(token.expiresAt, at: 3)
        }
        return self.database.changes == 1
    }

    /// Gives back the call of a claim that was not executed.
    func giveBack(tokenID: String?) throws(StoreError) {
        guard let tokenID else {
            return
        }
        try self.statements.giveTokenCallBack.run { $0.bind(tokenID, at: 1) }
    }

    /// Writes a revocation in the place of earlier ones of the same tokens.
    func revokeTokens(_ revocation: TokenRevocation) throws(StoreError) {
        if revocation.user == nil, revocation.tokenID == nil {
            try self.statements.deleteTokenRevocations.run {
                $0.bind(revocation.client, at: 1)
                $0.bind(revocation.revokedAt, at: 2)
            }
        } else {
            try self.statements.deleteTokenRevocation.run {
                $0.bind(revocation.client, at: 1)
                $0.bind(revocation.user, at: 2)
                $0.bind(revocation.tokenID, at: 3)
            }
        }
        try self.statements.insertTokenRevocation.run {
            $0.bind(revocation.client, at: 1)
            $0.bind(revocation.user, at: 2)
            $0.bind(revocation.tokenID, at: 3)
            $0.bind(revocation.revokedAt, at: 4)
            $0.bind(revocation.expiresAt, at: 5)
        }
    }

    /// Notes the nonce of a signed handshake.
    ///
    /// - Returns: False when it is known already.
    func spendNonce(_ nonce: String, of client: String, until end: Int64) throws(StoreError) -> Bool {
        try self.statements.insertNonce.run {
            $0.bind(client, at: 1)
            $0.bind(nonce, at: 2)
            $0.bind(end, at: 3)
        }
        return self.database.changes == 1
    }

    /// Forgets what concerns tokens and handshakes that have ended by themselves.
    ///
    /// - Returns: Whether nothing older is left.
    func expireTokens(now: Int64, limit: Int) throws(StoreError) -> Bool {
        var isComplete = true
        for statement in [
            self.statements.deleteOldTokenCalls, self.statements.deleteOldTokenRevocations,
            self.statements.deleteOldNonces,
        ] {
            try statement.run {
                $0.bind(now, at: 1)
                $0.bind(limit, at: 2)
            }
            isComplete = isComplete && self.database.changes < limit
        }
        return isComplete
    }
}
