internal import HTTPWire
internal import Telemetry

extension RealtimeRound {
    // MARK: Boarding

    func board(on carrier: Account?) async throws(GatewayError) -> Account {
        try self.countCall()
        if let carrier, carrier !== self.carrier {
            self.carrier = carrier
            if let account = self.lastAccount, account !== carrier {
                await self.lost(.transport("another account has to carry the round"), self.serial)
            }
        }
        if self.session.state == .idle {
            guard self.course == .deferred else { throw .inProgress }
            _ = try self.takeSlot()
            await self.perform(self.session.open(at: self.now))
        }
        // Of a round that has failed already the outcome tells.
        if let account = self.carrier ?? self.account ?? self.lastAccount {
            self.carrier = account
            return account
        }
        let account = try self.takeSlot()
        self.carrier = account
        return account
    }

    func finish(underKey key: String) async -> RoundOutcome {
        if key != self.upstreamKey {
            self.upstreamKey = key
            await self.lost(.transport("the round has another key at the platform"), self.serial)
        }
        await self.perform(self.session.requestEnd(at: self.now))
        return await self.outcome.wait()
    }

    // MARK: Accounts

    /// Takes a slot of an account that may carry the round, without waiting for one.
    ///
    /// - Throws: 429/42901 when none is free, 502/50200 when none may be used.
    func takeSlot() throws(GatewayError) -> Account {
        if let account = self.account { return account }
        let now = self.now
        var refusal: GatewayError?
        // One that the platform has switched off comes last: it tells the client what is wrong, and that it is right
        // again. A key that was sent goes to its account, whose replays are free.
        var isLastResort = self.carrier != nil
        while true {
            for account in self.candidates {
                switch account.availability(for: self.dialect.operation, at: now) {
                case .available: break
                case .unavailable(.switchedOff, _) where isLastResort: break
                case .unavailable(.breaker, let retryAfter):
                    refusal = refusal ?? .platformFailing(retryAfter: retryAfter)
                    continue
                case .unavailable:
                    continue
                }
                guard account.takeFreeSlot(at: now) else {
                    refusal = .queueFull
                    continue
                }
                self.account = account
                self.lastAccount = account
                return account
            }
            guard !isLastResort, refusal == nil else { throw refusal ?? .accountRefused }
            isLastResort = true
        }
    }

    private var candidates: [Account] {
        if let carrier { return [carrier] }
        let kind = self.services.upstream.limiter.limits(of: self.scope.client).accountKind
        let all = self.services.accounts.accounts(of: kind).filter { !self.refusedAccounts.contains($0.appKey) }
        // Where the round was, the platform may know it.
        guard let last = self.lastAccount, let index = all.firstIndex(where: { $0 === last }) else { return all }
        return [last] + all[..<index] + all[(index + 1)...]
    }

    /// Whether a handshake that was refused is made again at once: signed by the platform's clock, or by another
    /// account.
    func mayTryAgain(
        after refusal: RealtimeSession.PlatformRefusal,
        _ response: HTTPTransportResponse,
        _ account: Account
    ) -> Bool {
        if refusal.code?.kind == .credentialsOrClock, !self.hasSignedAgain {
            self.hasSignedAgain = true
            account.learnClock(from: response, services: self.services.upstream)
            return true
        }
        guard let fault = refusal.accountFault else { return false }
        self.note(fault)
        self.refusedAccounts.append(account.appKey)
        guard self.carrier == nil else { return false }
        return self.candidates.contains { $0.availability(for: self.dialect.operation, at: self.now) == .available }
    }

    func note(_ fault: AccountFault) {
        guard let account = self.account, account.note(fault, clock: self.services.clock) else { return }
        self.services.logger.error(
            "platform account cannot carry calls",
            ["account": .string(account.name), "account.fault": .string(fault.rawValue)]
        )
    }

    func noteAcceptance(ofAll isOfAll: Bool) {
        guard let account = self.account, account.noteAcceptance(ofAll: isOfAll, at: self.now) else { return }
        self.services.logger.notice("platform account accepted again", ["account": .string(account.name)])
    }
}

extension RealtimeSession.PlatformRefusal {
    /// What a refused handshake says of our account; nil when another one would be told the same.
    fileprivate var accountFault: AccountFault? {
        if let code { return code.kind == .credentialsOrClock ? .credentials : code.accountFault }
        return self.status == 401 ? .credentials : nil
    }

    /// Whether a refused handshake would be refused again.
    var isFinal: Bool {
        if self.code != nil { return !self.isRetryable }
        return !RetryPolicy.isRetryable(status: self.status ?? 0)
    }
}
