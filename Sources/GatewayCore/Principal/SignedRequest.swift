internal import Cryptography

/// A request whose signature covers its content: everything but the signature was checked.
public struct SignedRequest: Sendable {
    /// Who it is if the signature is right.
    let principal: Principal
    let authentication: Authentication
    let secrets: [Secret]
    let appKey: String
    let signature: Digest256
    let nonce: String?
    let address: String

    /// Whether the signature is of one of these texts.
    func matches(_ candidates: [String]) -> Bool {
        var matches = false
        for text in candidates {
            for secret in self.secrets where HMACSHA256.authenticationCode(for: text, key: secret) == self.signature {
                matches = true
            }
        }
        return matches
    }

    /// The principal, if the signature is of one of these texts and its nonce is new.
    ///
    /// - Throws: 401/40100, 429/42900 beyond its rate.
    func verify(_ candidates: [String]) throws(GatewayError) -> Principal {
        try self.check(candidates)
        if let nonce = self.nonce { try self.authentication.spend(nonce, of: self.principal.client) }
        // Not before: whoever knows an appKey could use up its client's rate.
        try self.authentication.limiter.countRequest(of: self.principal)
        return self.principal
    }

    /// Notes whether the signature is of one of these texts.
    ///
    /// - Throws: 401/40100 when it is not.
    func check(_ candidates: [String]) throws(GatewayError) {
        guard self.matches(candidates) else {
            self.authentication.noteFailure(self.address)
            throw .unauthorized
        }
        self.authentication.noteSuccess(of: self.appKey, from: self.address)
    }
}
