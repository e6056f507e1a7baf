extension GatewayError {
    /// 429/42900: more requests than the client's or the user's rate.
    static func tooManyRequests(of party: RateLimits.Party, retryAfter: Duration) -> GatewayError {
        GatewayError(
            status: 429,
            code: .tooManyRequests,
            origin: .client,
            message:
                "The \(party.rawValue) sends more requests than its rate allows; slow down and send this one again.",
            reason: "\(party.rawValue)_rate",
            retryAfter: retryAfter.secondsRoundedUp
        )
    }

    /// 429/42901: more paid calls at a time than the client or the user may have.
    static func tooManyCalls(of party: RateLimits.Party) -> GatewayError {
        GatewayError(
            status: 429,
            code: .concurrencyLimit,
            origin: .client,
            message:
                "The \(party.rawValue) has as many calls running as it may; send this one when one of them has ended.",
            reason: "\(party.rawValue)_concurrency",
            retryAfter: 1
        )
    }
}

extension Duration {
    /// Whole seconds, at least 1, for `Retry-After`: a second too late is better than refused again.
    var secondsRoundedUp: Int {
        let (seconds, attoseconds) = self.components
        return max(1, Int(clamping: attoseconds > 0 ? seconds + 1 : seconds))
    }
}
