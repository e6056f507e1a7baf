internal import Store

extension Principal {
    /// What counts the calls of a token that is good for so many.
    var tokenUse: TokenUse? {
        guard case .token(let id) = self.credential, let maximum = self.maximumCalls, let end = self.expiresAt else {
            return nil
        }
        return TokenUse(tokenID: id, maximumCalls: maximum, expiresAt: end)
    }
}
