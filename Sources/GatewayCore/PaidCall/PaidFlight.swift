internal import Cryptography
internal import HTTPWire
internal import Store
internal import Telemetry

/// One paid call from its admission to its landing.
struct PaidFlight: Sendable {
    /// How a flight ends.
    struct Landing: Sendable {
        var result: FlightResult
        /// The answer that the store has not taken, and why; the flight stays until it has.
        var unwritten: (answer: NewAnswer, error: StoreError)?

        static func failed(_ error: GatewayError) -> Landing {
            Landing(result: .failed(error))
        }
    }

    let calls: PaidCalls
    let request: PaidCalls.Request
    let flight: FlightID

    var services: UpstreamServices { self.calls.services }

    /// Flies.
    ///
    /// - Parameter carrier: The only account that may carry the call; nil leaves the choice.
    /// - Returns: Nil when everyone left before the call was sent; nothing happened then.
    func fly(on carrier: Account?) async -> Landing? {
        if let obstacle = self.obstacle { return .failed(obstacle) }
        return switch self.request.work {
        case .exchange(let exchange): await self.fly(exchange, on: carrier)
        case .round(let round, _): await self.fly(round, on: carrier)
        }
    }

    /// Why nothing may be sent now, whatever it is.
    private var obstacle: GatewayError? {
        if self.calls.isCut { return .draining }
        if self.calls.trouble.isTroubled { return .storeUnavailable }
        return self.calls.isDiskLow ? .diskLow : nil
    }

    private func fly(_ exchange: any PaidExchange, on carrier: Account?) async -> Landing? {
        let scope = self.request.scope
        do {
            try self.services.limiter.beginCall(client: scope.client, user: scope.user)
        } catch {
            return .failed(error)
        }
        defer { self.services.limiter.endCall(client: scope.client, user: scope.user) }
        let deadline = self.services.clock.now() + self.services.policy.totalTimeout
        do {
            return await self.send(exchange, with: try await self.board(carrier), deadline: deadline)
        } catch {
            return .failed(error)
        }
    }

    private func send(
        _ exchange: any PaidExchange,
        with boarding: Boarding,
        deadline: ContinuousClock.Instant
    ) async -> Landing? {
        var boarding = boarding
        // The wait for the slot may have been long.
        guard !self.calls.trouble.isTroubled else {
            self.leave(boarding)
            return .failed(.storeUnavailable)
        }
        guard self.services.clock.now() < deadline else {
            self.leave(boarding)
            return .failed(.queueFull)
        }
        guard self.calls.flights.markSent(self.request.scope.hash, self.flight) else {
            self.leave(boarding)
            return nil
        }
        // From here on the key's row says that the call is about to be sent, and survives whatever happens.
        let claim = self.claim(on: boarding.account, reserving: boarding.reservations)
        var row: ClaimedRow
        do {
            row = try await self.timed { () async throws(StoreError) in try await self.calls.store.claim(claim) }
        } catch {
            self.leave(boarding)
            return self.refusal(of: error)
        }
        if !row.isNew { self.calls.quotas.adopt(row.reservations) }
        var outcome = await self.call(exchange, boarding.account, row, deadline: deadline).run()
        while let fault = outcome.accountFault, row.isNew, !outcome.isUnresolved,
            await self.change(after: fault, deadline: deadline, &boarding, &row)
        {
            let attempts = outcome.attempts
            outcome = await self.call(exchange, boarding.account, row, deadline: deadline).run()
            outcome.attempts += attempts
        }
        return await self.settle(outcome, claim: claim, row: row)
    }

    func claim(on account: Account, reserving reservations: [Reservation]) -> NewClaim {
        var claim = NewClaim(
            scope: self.request.scope.hash,
            client: self.request.scope.client,
            user: self.request.scope.user,
            key: self.request.scope.key.text,
            operation: self.request.operation.name,
            fingerprint: self.request.fingerprint.bytes,
            appKey: account.appKey,
            upstreamKey: self.request.scope.upstreamKey(secret: self.calls.upstreamKeySecret),
            sentAt: self.services.clock.unixMilliseconds(),
            flight: self.flight
        )
        claim.reservations = reservations
        claim.token = self.calls.flights.token(self.request.scope.hash, self.flight)
        return claim
    }

    func refusal(of error: StoreError) -> Landing {
        switch error.code {
        // Whoever waits may have another token, or have come after the erasure.
        case .tokenExhausted: return Landing(result: .refused(.tokenExhausted))
        case .erased: return Landing(result: .refused(.erased))
        case .conflict, .settledBilled: return .failed(.settledBilled)
        default:
            self.calls.trouble.note(error)
            return .failed(.storeUnavailable)
        }
    }

    private func call(
        _ operation: any PaidExchange,
        _ account: Account,
        _ row: ClaimedRow,
        deadline: ContinuousClock.Instant
    ) -> UpstreamCall {
        UpstreamCall(
            services: self.services,
            account: account,
            route: .paid(operation),
            client: self.request.scope.client,
            requestID: self.request.requestID,
            deadline: deadline,
            makeRequest: { timestamp, nonce in
                operation.request(account: account, timestamp: timestamp, nonce: nonce, upstreamKey: row.upstreamKey)
            },
            classify: { operation.classify($0) },
            trace: self.request.trace
        )
    }

    /// Turns the last attempt into what is stored and what is told (design, section 4, step 8).
    private func settle(_ outcome: UpstreamCall.Outcome, claim: NewClaim, row: ClaimedRow) async -> Landing {
        // A row that was there before may stand for an execution of which we know nothing.
        let isInDoubt = outcome.isUnresolved || !row.isNew
        let attempts = outcome.attempts
        let isUnresolved = outcome.isUnresolved
        switch outcome.result {
        case .answered(let response, let facts):
            return await self.store(response, facts: facts, attempts: attempts, claim: claim, row: row)
        case .coded(let response, let code):
            guard code.kind != .inProgress else { return await self.unknown(attempts: attempts, row) }
            let passed = PassedAnswer.response(response, code: code, attempts: attempts)
            return await self.notExecuted(.passed(passed), isUnresolved: isUnresolved, row)
        case .codeless(let response):
            guard UpstreamCall.provesRefusal(response.status), !isInDoubt else {
                return await self.unknown(attempts: attempts, row)
            }
            let result = PassedAnswer.codeless(response, attempts: attempts)
            return await self.notExecuted(result, isUnresolved: isUnresolved, row)
        case .credentialsRefused:
            return await self.notExecuted(.failed(outcome.counted(.accountRefused)), isUnresolved: isUnresolved, row)
        case .held(let time):
            return await self.notExecuted(.failed(.platformFailing(retryAfter: time)), isUnresolved: isUnresolved, row)
        case .malformed:
            return await self.unknown(attempts: attempts, row)
        case .failed(let error):
            guard !isInDoubt else { return await self.unknown(attempts: attempts, row) }
            let result = FlightResult.failed(outcome.counted(.unreachable(error.reason.rawValue)))
            return await self.notExecuted(result, isUnresolved: isUnresolved, row)
        }
    }

    func store(
        _ response: HTTPTransportResponse,
        facts: AnswerFacts,
        attempts: Int,
        claim: NewClaim,
        row: ClaimedRow
    ) async -> Landing {
        var new = NewAnswer(
            claim: claim,
            row: row,
            status: response.status,
            contentType: response.fields[.contentType] ?? "application/json",
            body: self.request.operation.content(of: response),
            answeredAt: self.services.clock.unixMilliseconds(),
            record: facts.recordID.map {
                NewRecord(recordID: $0, coreType: self.request.operation.coreType, overall: facts.overall)
            }
        )
        new.usedAudioMilliseconds = self.request.operation.audioMilliseconds ?? facts.audioMilliseconds ?? 0
        // What the platform says counts only where we could not measure.
        new.audioMilliseconds = self.request.operation.audioMilliseconds == nil ? facts.audioMilliseconds : nil
        // Behind the store's own count: a quota that is read anew must not find the call as it was reserved.
        defer { self.calls.quotas.settle(row.reservations, audioMilliseconds: new.audioMilliseconds) }
        let answer = Answer(status: new.status, contentType: new.contentType, body: new.body)
        self.services.metrics.noteBill(audioMilliseconds: new.usedAudioMilliseconds)
        var details = AnswerDetails(
            recordID: facts.recordID,
            attempts: attempts,
            traceID: response.fields[.xTraceID]
        )
        var landing = Landing(result: .answered(answer, details: details))
        do {
            // False when the row was settled or erased meanwhile: the client gets what it paid for all the same.
            details.isStored = try await self.timed { () async throws(StoreError) in
                try await self.calls.store.complete(new)
            }
        } catch {
            self.calls.trouble.note(error)
            details.isStored = false
            landing.unwritten = (new, error)
        }
        landing.result = .answered(answer, details: details)
        return landing
    }

    /// The call was not executed: its row goes, its key is free.
    ///
    /// A row in doubt stays whatever the platform says now.
    func notExecuted(
        _ result: FlightResult,
        isUnresolved: Bool,
        _ row: ClaimedRow
    ) async -> Landing {
        if isUnresolved {
            // An earlier attempt may have been executed, and a later one's refusal does not undo that.
            await self.markUnresolved(row)
            return Landing(result: result)
        }
        var isReleased = false
        if row.isNew {
            do {
                let release = try await self.timed { () async throws(StoreError) in
                    try await self.calls.store.release(row: row.id, flight: self.flight)
                }
                isReleased = release == .deleted
            } catch {
                self.calls.trouble.note(error)
            }
        }
        if isReleased {
            self.calls.quotas.giveBack(row.reservations)
        } else {
            self.calls.quotas.keep(row.reservations)
        }
        return Landing(result: result)
    }

    /// Nobody knows whether the call was executed: the row stays, and the next request with its key finds out.
    func unknown(attempts: Int, _ row: ClaimedRow) async -> Landing {
        await self.markUnresolved(row)
        self.services.metrics.unknownOutcomes.increment()
        self.services.logger.warning(
            "outcome of a paid call is unknown; the same key asks the platform again",
            ["request.id": .string(self.request.requestID), "attempts": .int(attempts)]
        )
        var error = GatewayError.outcomeUnknown
        error.attempts = attempts
        return .failed(error)
    }

    private func markUnresolved(_ row: ClaimedRow) async {
        self.calls.quotas.keep(row.reservations)
        do {
            _ = try await self.timed { () async throws(StoreError) in
                try await self.calls.store.markUnresolved(row: row.id, flight: self.flight)
            }
        } catch {
            self.calls.trouble.note(error)
        }
    }

    /// Notes how long the store takes.
    private func timed<Value: Sendable>(
        _ work: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let start = self.services.clock.now()
        defer { self.request.trace?.add(self.services.clock.now() - start, to: .store) }
        return try await work()
    }
}
