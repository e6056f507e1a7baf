internal import Store
internal import Telemetry

extension PaidFlight {
    /// What a flight holds before it is sent: an account with a slot, and its shares of the day's quotas.
    struct Boarding: Sendable {
        var choice: AccountChoice
        let candidates: [Account]
        var account: Account
        /// Of the client and its user.
        let ownReservations: [Reservation]
        /// Of the account.
        var accountReservations: [Reservation]

        var reservations: [Reservation] { self.ownReservations + self.accountReservations }
    }

    private var client: String { self.request.scope.client }
    private var audioMilliseconds: Int64 { max(0, self.request.operation.audioMilliseconds ?? 0) }

    /// Takes all that the call needs, or nothing.
    ///
    /// - Parameter carrier: The account of a key with an unknown outcome. What the first sending reserved is reserved
    ///   still, so nothing is reserved again.
    func board(_ carrier: Account?) async throws(GatewayError) -> Boarding {
        guard let carrier else {
            let own = try self.reserveOwn()
            do {
                let kind = self.services.limiter.limits(of: self.client).accountKind
                return try await self.board(self.request.accounts.accounts(of: kind), sticky: nil, own: own)
            } catch {
                self.calls.quotas.giveBack(own)
                throw error
            }
        }
        return try await self.board([carrier], sticky: 0, own: [])
    }

    private func board(
        _ candidates: [Account],
        sticky: Int?,
        own: [Reservation]
    ) async throws(GatewayError) -> Boarding {
        var choice = AccountChoice(sticky: sticky)
        guard case .account(var index) = choice.first(of: self.availabilities(candidates)) else {
            throw self.refusal(of: candidates)
        }
        while true {
            do {
                let account = candidates[index]
                let reserved = try await self.take(account, isSticky: sticky != nil)
                return Boarding(
                    choice: choice,
                    candidates: candidates,
                    account: account,
                    ownReservations: own,
                    accountReservations: reserved
                )
            } catch {
                // Only what other calls found out meanwhile leads to another account; a queue that is full does not.
                guard error.reason == GatewayError.accountRefused.reason || error.code == .dailyLimit,
                    let next = choice.next(
                        after: .fault(.credentials),
                        leftDoubt: false,
                        of: self.availabilities(candidates)
                    )
                else { throw error }
                index = next
            }
        }
    }

    /// Gives everything back: the call is not sent.
    func leave(_ boarding: Boarding) {
        boarding.account.slots.release(at: self.services.clock.now())
        self.calls.quotas.giveBack(boarding.reservations)
    }

    /// Moves a call that was certainly not executed to the next account, in one durable commit, before that one's first
    /// byte.
    ///
    /// - Returns: False when the call ends with the outcome it had.
    func change(
        after fault: AccountFault,
        deadline: ContinuousClock.Instant,
        _ boarding: inout Boarding,
        _ row: inout ClaimedRow
    ) async -> Bool {
        while let index = boarding.choice.next(
            after: .fault(fault),
            leftDoubt: false,
            of: self.availabilities(boarding.candidates)
        ) {
            let account = boarding.candidates[index]
            let reserved: [Reservation]
            do {
                reserved = try await self.take(account, isSticky: false)
            } catch {
                continue
            }
            guard self.services.clock.now() < deadline,
                await self.move(row.id, to: account, reserving: boarding.ownReservations + reserved)
            else {
                account.slots.release(at: self.services.clock.now())
                self.calls.quotas.giveBack(reserved)
                return false
            }
            self.services.metrics.failovers.increment()
            self.services.logger.warning(
                "call goes to the next account",
                [
                    "request.id": .string(self.request.requestID), "account": .string(account.name),
                    "account.before": .string(boarding.account.name), "account.fault": .string(fault.rawValue),
                ]
            )
            self.calls.quotas.giveBack(boarding.accountReservations)
            boarding.account = account
            boarding.accountReservations = reserved
            row.appKey = account.appKey
            row.reservations = boarding.reservations
            return true
        }
        return false
    }

    private func move(_ row: Int64, to account: Account, reserving reservations: [Reservation]) async -> Bool {
        do {
            return try await self.calls.store.move(
                row: row,
                flight: self.flight,
                to: account.appKey,
                reserving: reservations
            )
        } catch {
            self.calls.trouble.note(error)
            return false
        }
    }

    // MARK: Quotas

    /// Reserves the shares of an account.
    func reserve(on account: Account) throws(GatewayError) -> [Reservation] {
        try self.reserve([.account(account)], parties: [.account])
    }

    /// Reserves the shares of client and user.
    func reserveOwn() throws(GatewayError) -> [Reservation] {
        let limits = self.services.limiter.limits(of: self.client)
        let dayOffset = self.calls.configuration.dayOffset
        var shares = [QuotaLedger.Share.client(self.client, limits, dayOffset: dayOffset)]
        if let user = self.request.scope.user {
            shares.append(.user(user, of: self.client, limits, dayOffset: dayOffset))
        }
        return try self.reserve(shares, parties: [.client, .user])
    }

    private func reserve(
        _ shares: [QuotaLedger.Share],
        parties: [LimitedParty]
    ) throws(GatewayError) -> [Reservation] {
        do {
            return try self.calls.quotas.reserve(shares, audioMilliseconds: self.audioMilliseconds)
        } catch {
            switch error {
            case .refused(let index, let refusal):
                let now = self.services.clock.unixMilliseconds()
                throw .dailyLimit(of: parties[index], refusal, now: now)
            case .unreadable(let error):
                self.services.logger.error("store cannot be read", ["store.error": .string(error.message)])
                throw .storeUnavailable
            }
        }
    }

    /// Takes a slot of an account and a share of its day.
    private func take(_ account: Account, isSticky: Bool) async throws(GatewayError) -> [Reservation] {
        let reserved = isSticky ? [] : try self.reserve(on: account)
        let start = self.services.clock.now()
        defer { self.request.trace?.add(self.services.clock.now() - start, to: .slot) }
        do {
            try await account.takeSlot(for: self.client, services: self.services)
        } catch {
            self.calls.quotas.giveBack(reserved)
            throw error
        }
        return reserved
    }

    // MARK: Accounts

    private func availabilities(_ accounts: [Account]) -> [AccountChoice.Availability] {
        self.calls.availabilities(
            of: accounts,
            for: self.request.operation.name,
            audioMilliseconds: self.audioMilliseconds
        )
    }

    /// Why no account may carry the call.
    private func refusal(of accounts: [Account]) -> GatewayError {
        var choice = AccountChoice()
        guard case .refused(let obstacle, let retryAfter) = choice.first(of: self.availabilities(accounts)) else {
            return .accountRefused
        }
        return self.calls.refusal(
            obstacle,
            retryAfter: retryAfter,
            of: accounts,
            audioMilliseconds: self.audioMilliseconds
        )
    }
}
