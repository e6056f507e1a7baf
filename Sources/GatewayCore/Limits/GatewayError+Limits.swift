extension GatewayError {
    /// 429/42900: more requests than the client's or the user's rate.
    static func tooManyRequests(of party: RateLimits.Party, retryAfter: Duration) -> GatewayError {
        GatewayError(
            status: 429,
            code: .tooManyRequests,
            origin: .client,
            message:
                "The \(party.rawValue) sends more requests than its rate allows; slow down and send this one again.",
            reason: LimitRefusal.rate(of: party).rawValue,
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
            reason: LimitRefusal.concurrency(of: party).rawValue,
            retryAfter: 1
        )
    }

    /// 429/42903: the day's calls or audio of the client, the user or all accounts are used up.
    static func dailyLimit(of party: LimitedParty, _ refusal: DailyQuota.Refusal, now: Int64) -> GatewayError {
        let what = refusal.limit == .calls ? "calls" : "audio"
        let reset = Timestamp.text(unixMilliseconds: refusal.resetsAt)
        let left = refusal.remaining.audioMilliseconds.map { " (\($0 / 1000) s are left)" } ?? ""
        return GatewayError(
            status: 429,
            code: .dailyLimit,
            origin: party == .account ? .gateway : .client,
            message: "The \(party.rawValue)'s \(what) of this day are used up\(what == "audio" ? left : ""); "
                + "the next day begins at \(reset).",
            reason: LimitRefusal.daily(refusal.limit, of: party).rawValue,
            retryAfter: Duration.milliseconds(refusal.resetsAt - now).secondsRoundedUp
        )
    }

    /// 502/50200: too many of the last calls failed at the platform, so this one was not sent.
    static func platformFailing(retryAfter: Duration?) -> GatewayError {
        GatewayError(
            status: 502,
            code: .upstream,
            origin: .gateway,
            message: "The platform fails at the moment, so the call was not sent; send it again later.",
            reason: "platform_failing",
            retryAfter: retryAfter?.secondsRoundedUp ?? 1
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
