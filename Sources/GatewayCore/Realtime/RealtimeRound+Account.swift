internal import HTTPWire
internal import Telemetry

extension RealtimeRound {
    // MARK: Boarding

    func board(on carrier: Account?) async throws(GatewayError) -> Account {
        try self.countCall()
        if let carrier, carrier !== self.carrier {
            self.carrier = carrier
            if let account = self.lastAccount, account !== carrier {
                await self.lost(.replaced("another account has to carry the round"), self.serial)
            }
        }
        if self.session.state == .idle {
            guard self.course == .deferred else { throw .inProgress }
            _ = try self.takeSlot()
            await self.perform(self.session.open(at: self.now))
        }
        let account = try self.accountToBoard()
        self.carrier = account
        return account
    }

    private func accountToBoard() throws(GatewayError) -> Account {
        if let account = self.carrier ?? self.account { return account }
        if self.session.state.isTerminal {
            // Of a round that has failed already the outcome tells; one that no account ever carried has none.
            guard let lastAccount else { throw self.accountRefusal ?? .queueFull }
            return lastAccount
        }
        do {
            return try self.takeSlot()
        } catch {
            // What was lost is tried again as long as the schedule lasts.
            guard let lastAccount else { throw error }
            return lastAccount
        }
    }

    func finish(underKey key: String) async -> RoundOutcome {
        if key != self.upstreamKey {
            self.upstreamKey = key
            await self.lost(.replaced("the round has another key at the platform"), self.serial)
        }
        await self.perform(self.session.requestEnd(at: self.now))
        return await self.outcome.wait()
    }

    // MARK: Accounts

    /// Refuses the round before anybody has spoken, when no account may carry it.
    ///
    /// - Throws: 429/42903 when the accounts' day is used up, 502/50200 when none may be used.
    func checkAccounts() throws(GatewayError) {
        let candidates = self.candidates
        var choice = AccountChoice()
        _ = try self.index(choice.first(of: self.availabilities(candidates)), in: candidates)
    }

    /// Takes a slot of an account that may carry the round, without waiting for one.
    ///
    /// - Throws: 429/42901 when none is free, 429/42903 when the accounts' day is used up, 502/50200 when none may be
    ///   used.
    func takeSlot() throws(GatewayError) -> Account {
        if let account = self.account { return account }
        let candidates = self.candidates
        let availabilities = self.availabilities(candidates)
        // A key that was sent goes to its account, whose replays are free.
        var choice = AccountChoice(sticky: self.carrier == nil ? nil : 0)
        var index: Int
        let decision = choice.first(of: availabilities)
        if case .refused(.breaker, _) = decision, self.hasBeenConnected,
            let last = candidates.firstIndex(where: { $0 === self.lastAccount })
        {
            index = last
        } else {
            index = try self.index(decision, in: candidates)
        }
        while !candidates[index].takeFreeSlot(at: self.now) {
            guard let next = choice.next(after: .noSlot, leftDoubt: false, of: availabilities) else {
                throw .queueFull
            }
            index = next
        }
        self.account = candidates[index]
        self.lastAccount = candidates[index]
        return candidates[index]
    }

    private func index(_ decision: AccountChoice.Decision, in candidates: [Account]) throws(GatewayError) -> Int {
        switch decision {
        case .account(let index): return index
        case .refused(let obstacle, let retryAfter):
            throw self.services.calls.refusal(
                obstacle,
                retryAfter: retryAfter,
                of: candidates,
                audioMilliseconds: self.neededMilliseconds
            )
        }
    }

    /// What the round needs of a day at least, as far as is known.
    private var neededMilliseconds: Int64 { max(1, self.audioMilliseconds) }

    private func availabilities(_ accounts: [Account]) -> [AccountChoice.Availability] {
        self.services.calls.availabilities(
            of: accounts,
            for: self.dialect.operation,
            audioMilliseconds: self.neededMilliseconds
        )
    }

    private var candidates: [Account] {
        if let carrier { return [carrier] }
        let kind = self.services.upstream.limiter.limits(of: self.scope.client).accountKind
        let all = self.services.accounts.accounts(of: kind).filter { !self.refusedAccounts.contains($0.appKey) }
        // Where the round was, the platform may know it.
        guard let last = self.lastAccount, let index = all.firstIndex(where: { $0 === last }) else { return all }
        return [last] + all[..<index] + all[(index + 1)...]
    }

    /// Passes over an account for the rest of the round.
    ///
    /// - Returns: Whether there is another one.
    private func passOver(_ account: Account) -> Bool {
        self.refusedAccounts.append(account.appKey)
        guard self.carrier == nil, self.availabilities(self.candidates).contains(.available) else { return false }
        // Where it was, it will not be again.
        if self.lastAccount === account { self.lastAccount = nil }
        return true
    }

    // MARK: Faults

    /// Whether a handshake that was refused is made again at once, by another account.
    func mayTryAgain(after refusal: RealtimeSession.PlatformRefusal, _ account: Account) -> Bool {
        guard let fault = refusal.accountFault else { return false }
        self.note(fault)
        guard self.passOver(account) else { return false }
        self.logChange(from: account, fault.rawValue)
        return true
    }

    /// An error frame tells of a fault of our account: before the end, another account takes the round over.
    ///
    /// - Returns: False when none does, and the frame is the round's business.
    func change(after fault: AccountFault) async -> Bool {
        self.note(fault)
        guard let account = self.account, self.passOver(account), let actions = self.session.takeOver(at: self.now)
        else { return false }
        // It has said no, and is there.
        self.judge(.success)
        self.logChange(from: account, fault.rawValue)
        await self.perform(actions)
        return true
    }

    func leave(_ account: Account) async -> Bool {
        self.carrier = nil
        guard self.session.isReplayable, self.passOver(account) else { return false }
        if self.session.state == .reconnecting {
            self.releaseSlot()
        } else {
            guard let actions = self.session.takeOver(at: self.now) else { return false }
            await self.perform(actions)
        }
        self.logChange(from: account, "daily limit")
        return true
    }

    private func logChange(from account: Account, _ fault: String) {
        self.services.upstream.metrics.failovers.increment()
        self.services.logger.warning(
            "round goes to another account",
            [
                "request.id": .string(self.requestID), "account.before": .string(account.name),
                "account.fault": .string(fault),
            ]
        )
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
