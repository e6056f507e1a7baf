extension Store {
    /// Notes that tokens were taken back.
    public func revokeTokens(_ revocation: TokenRevocation) async throws(StoreError) {
        try await self.writer.submit { (connection) throws(StoreError) in try connection.revokeTokens(revocation) }
    }

    /// Notes the nonce of a signed handshake, durably.
    ///
    /// - Parameters:
    ///   - nonce: As the client made it.
    ///   - client: Whose it is.
    ///   - end: Until when it has to be known, in Unix milliseconds.
    /// - Returns: False when it is known already.
    public func spendNonce(_ nonce: String, of client: String, until end: Int64) async throws(StoreError) -> Bool {
        try await self.writer.submit { (connection) throws(StoreError) in
            try connection.spendNonce(nonce, of: client, until: end)
        }
    }

    /// All revocations that are kept.
    public func tokenRevocations() throws(StoreError) -> [TokenRevocation] {
        try self.readers.withReader { (reader) throws(StoreError) in try reader.allTokenRevocations() }
    }

    /// How many calls a token has made, as far as they are counted.
    public func tokenCalls(_ tokenID: String) throws(StoreError) -> Int {
        try self.readers.withReader { (reader) throws(StoreError) in try reader.tokenCalls(tokenID) }
    }
}
