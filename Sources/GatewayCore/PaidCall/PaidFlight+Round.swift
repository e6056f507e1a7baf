internal import HTTPWire
internal import Store

extension PaidFlight {
    /// Flies a round: claims it when all of its audio has come, then lets its end go to the platform.
    ///
    /// The session that it belongs to has counted it as a running call.
    ///
    /// - Parameter carrier: The only account that may carry it; nil leaves the choice. What the first sending of such a
    ///   round reserved is reserved still.
    func fly(_ round: any PaidRound, on carrier: Account?) async -> Landing {
        let account: Account
        let reservations: [Reservation]
        do {
            (account, reservations) = try await self.board(round, on: carrier)
        } catch {
            return .failed(error)
        }
        guard !self.calls.isCut else {
            self.calls.quotas.giveBack(reservations)
            return .failed(.draining)
        }
        // Whoever ended its round waits for the result, present or not.
        guard self.calls.flights.markSent(self.request.scope.hash, self.flight) else {
            self.calls.quotas.giveBack(reservations)
            return .failed(.inProgress)
        }
        let claim = self.claim(on: account, reserving: reservations)
        let row: ClaimedRow
        do {
            row = try await self.calls.store.claim(claim)
        } catch {
            self.calls.quotas.giveBack(reservations)
            return self.refusal(of: error)
        }
        if !row.isNew { self.calls.quotas.adopt(row.reservations) }
        let outcome = await round.finish(underKey: row.upstreamKey)
        return await self.settle(outcome, claim: claim, row: row)
    }

    /// Finds an account that carries the round, and takes its share of the day, which only now is known.
    private func board(
        _ round: any PaidRound,
        on carrier: Account?
    ) async throws(GatewayError) -> (Account, [Reservation]) {
        guard carrier == nil else { return (try await round.board(on: carrier), []) }
        let own = try self.reserveOwn()
        do {
            while true {
                let account = try await round.board(on: nil)
                if let reserved = try await self.reserve(on: account, or: round) { return (account, own + reserved) }
            }
        } catch {
            self.calls.quotas.giveBack(own)
            throw error
        }
    }

    /// Takes the share of an account's day, or makes the round leave an account whose day is too short for it.
    private func reserve(on account: Account, or round: any PaidRound) async throws(GatewayError) -> [Reservation]? {
        do {
            return try self.reserve(on: account)
        } catch {
            guard error.code == .dailyLimit, await round.leave(account) else { throw error }
            return nil
        }
    }

    private func settle(_ outcome: RoundOutcome, claim: NewClaim, row: ClaimedRow) async -> Landing {
        let attempts = outcome.attempts
        switch outcome.result {
        case .answered(let frame, let facts):
            let response = HTTPTransportResponse(status: 200, fields: HTTPFields(), body: frame)
            return await self.store(response, facts: facts, attempts: attempts, claim: claim, row: row)
        case .refused(let result):
            return await self.notExecuted(result, isUnresolved: outcome.isUnresolved, row)
        case .unknown:
            return await self.unknown(attempts: attempts, row)
        }
    }
}
