extension PaidCalls {
    /// Which of our accounts may carry a call, by what the platform has said of them and by what we allow ourselves.
    ///
    /// - Parameters:
    ///   - operation: The route of the call.
    ///   - audioMilliseconds: What it needs of an account's day, as far as is known.
    func availabilities(
        of accounts: [Account],
        for operation: String,
        audioMilliseconds: Int64
    ) -> [AccountChoice.Availability] {
        let now = self.services.clock.now()
        return accounts.map { account in
            let availability = account.availability(for: operation, at: now)
            guard availability == .available,
                let refusal = self.quotaRefusal(of: account, audioMilliseconds: audioMilliseconds)
            else { return availability }
            let rest = Duration.milliseconds(refusal.resetsAt - self.services.clock.unixMilliseconds())
            return .unavailable(.quota, retryAfter: rest)
        }
    }

    /// What a call is told that no account may carry.
    func refusal(
        _ obstacle: AccountChoice.Obstacle,
        retryAfter: Duration?,
        of accounts: [Account],
        audioMilliseconds: Int64
    ) -> GatewayError {
        switch obstacle {
        case .notReady, .switchedOff:
            return .accountRefused
        case .breaker:
            return .platformFailing(retryAfter: retryAfter)
        case .quota:
            let refusals = accounts.lazy.compactMap { self.quotaRefusal(of: $0, audioMilliseconds: audioMilliseconds) }
            guard let refusal = refusals.first else { return .accountRefused }
            return .dailyLimit(of: .account, refusal, now: self.services.clock.unixMilliseconds())
        }
    }

    private func quotaRefusal(of account: Account, audioMilliseconds: Int64) -> DailyQuota.Refusal? {
        self.quotas.refusal(of: .account(account), audioMilliseconds: audioMilliseconds)
    }
}
