/// The limits that hold for a client or a user now, and what is left of its day.
struct StandingLimits: Sendable {
    let rate: TokenBucket.Rate?
    let concurrency: Int?
    let daily: DailyQuota.Allowance
    /// Nil without limits by the day.
    let rest: QuotaLedger.Rest?
}

extension PaidCalls {
    /// What holds for all calls of a client.
    func limits(ofClient client: String) throws(GatewayError) -> StandingLimits {
        let limits = self.services.limiter.limits(of: client)
        return StandingLimits(
            rate: limits.rate,
            concurrency: limits.concurrency,
            daily: limits.daily,
            rest: try self.rest(of: .client(client, limits, dayOffset: self.configuration.dayOffset))
        )
    }

    /// What holds for the calls of one of its users.
    func limits(ofUser user: String, of client: String) throws(GatewayError) -> StandingLimits {
        let limits = self.services.limiter.limits(of: client)
        return StandingLimits(
            rate: limits.userRate,
            concurrency: limits.userConcurrency,
            daily: limits.userDaily,
            rest: try self.rest(of: .user(user, of: client, limits, dayOffset: self.configuration.dayOffset))
        )
    }

    private func rest(of share: QuotaLedger.Share) throws(GatewayError) -> QuotaLedger.Rest? {
        guard share.isLimited else { return nil }
        do {
            return try self.quotas.rest(of: share)
        } catch {
            throw .storeUnavailable
        }
    }
}
