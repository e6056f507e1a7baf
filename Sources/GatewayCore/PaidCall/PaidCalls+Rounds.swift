internal import Cryptography
internal import HTTPWire
internal import Store
internal import Telemetry

/// What is known of a key when a round begins under it (design, section 6).
enum RoundStanding: Sendable {
    /// Nothing, or rounds that have not ended: the platform may hear the audio as it comes.
    case open
    /// It has an answer, or a call under it has ended and still runs: the platform is not needed, or not yet.
    ///
    /// `mayBeNeeded` says that it may be, later.
    case settled(mayBeNeeded: Bool)
    /// It was sent once and nobody knows what became of that: only this account can tell, under this key.
    case unknown(Account, upstreamKey: String)
}

extension PaidCalls {
    /// What is known of a key.
    ///
    /// - Throws: 410/40400 for an erased one, 409/40900 for one whose outcome can no longer be found out, 503/50000.
    func standing(of scope: CallScope, accounts: AccountPool) throws(GatewayError) -> RoundStanding {
        if self.flights.contains(scope.hash) { return .settled(mayBeNeeded: true) }
        let row: KeyRow?
        let isErased: Bool
        do throws(StoreError) {
            row = try self.store.lookUp(scope.hash)
            isErased = row == nil ? try self.store.isErased(scope.hash) : false
        } catch {
            self.services.logger.error("store cannot be read", ["store.error": .string(error.message)])
            throw .storeUnavailable
        }
        guard !isErased else { throw .erased }
        guard let row else { return .open }
        guard row.answer == nil else { return .settled(mayBeNeeded: false) }
        guard !row.isSettledBilled else { throw .settledBilled }
        guard let account = self.account(thatCanTell: row, of: accounts) else { throw .outcomeLost }
        return .unknown(account, upstreamKey: row.upstreamKey)
    }

    /// Refuses a round that would be refused at its end, before somebody has spoken; nothing is reserved.
    ///
    /// - Throws: 429/42903 when the day of the client or its user is used up; 403/40300 for a token without calls,
    ///   503/50000 while the disk is nearly full.
    func checkStart(of scope: CallScope, by principal: Principal) throws(GatewayError) {
        if let refusal = self.standingRefusal(of: principal) { throw refusal }
        let limits = self.services.limiter.limits(of: scope.client)
        let dayOffset = self.configuration.dayOffset
        var shares: [(LimitedParty, QuotaLedger.Share)] = [
            (.client, .client(scope.client, limits, dayOffset: dayOffset))
        ]
        if let user = scope.user { shares.append((.user, .user(user, of: scope.client, limits, dayOffset: dayOffset))) }
        for (party, share) in shares {
            guard let refusal = self.quotas.refusal(of: share, audioMilliseconds: 1) else { continue }
            throw .dailyLimit(of: party, refusal, now: self.services.clock.unixMilliseconds())
        }
    }

    /// Ends a round: with the answer of its key, with that of a round that ended before it, or by the platform's word.
    ///
    /// A round that waited for one that was not executed takes its place.
    func perform(ending request: Request) async throws(GatewayError) -> HTTPResponse {
        let usage = self.beginUsage(of: request)
        do throws(GatewayError) {
            let response = try await self.end(request)
            self.usage.count(usage, response: response)
            return response
        } catch {
            self.usage.count(usage, error: error)
            throw error
        }
    }

    private func end(_ request: Request) async throws(GatewayError) -> HTTPResponse {
        let deadline = self.services.clock.now() + self.configuration.waitForWinner
        while true {
            switch self.flights.enter(request.scope.hash, fingerprint: request.fingerprint, token: request.token) {
            case .mismatch:
                throw .keyReused
            case .landed(let result):
                return try result.response(isOwner: false)
            case .owner(let flight, let participant):
                return try await self.own(flight, participant, request)
            case .waiter(let participant):
                let left = max(.zero, deadline - self.services.clock.now())
                guard case .landed(let result, _) = await self.news(participant, limit: left) else { throw .inProgress }
                guard result.isRefusal else { return try self.response(of: result, asOwner: false) }
            }
        }
    }
}

extension FlightResult {
    /// Whether it says that nothing was executed.
    fileprivate var isRefusal: Bool {
        switch self {
        case .answered: false
        case .passed, .refused: true
        case .failed(let error): error.reason != GatewayError.outcomeUnknown.reason
        }
    }
}
