internal import HTTPWire
internal import Telemetry

/// One call to a platform: as many attempts as it takes and the policy allows, each signed afresh.
struct UpstreamCall: Sendable {
    /// What the last attempt came to.
    enum Result: Sendable {
        case answered(HTTPTransportResponse, AnswerFacts)
        case coded(HTTPTransportResponse, PlatformCode)
        case codeless(HTTPTransportResponse)
        case malformed
        case credentialsRefused
        case failed(HTTPTransportError)
        /// Nothing was sent: the breaker of the route lets no attempt through for this time.
        case held(Duration)
    }

    /// The call's end.
    struct Outcome: Sendable {
        let result: Result
        var attempts: Int
        /// Some attempt sent body bytes and got neither an answer nor a code: it may have been executed.
        let isUnresolved: Bool

        /// What the last answer says about our account; nil when another account would be told the same.
        var accountFault: AccountFault? {
            switch self.result {
            case .credentialsRefused: .credentials
            case .coded(_, let code): code.accountFault
            case .answered, .codeless, .malformed, .failed, .held: nil
            }
        }

        /// An error that says how often the platform was asked.
        func counted(_ error: GatewayError) -> GatewayError {
            var error = error
            error.attempts = self.attempts
            return error
        }
    }

    let services: UpstreamServices
    let account: Account
    let route: UpstreamRoute
    let client: String
    let requestID: String
    let deadline: ContinuousClock.Instant
    /// Builds an attempt for a Unix time in seconds and a nonce.
    let makeRequest: @Sendable (_ timestamp: Int64, _ nonce: String) -> HTTPTransportRequest
    let classify: @Sendable (HTTPTransportResponse) -> PlatformAnswer

    /// Runs the call.
    ///
    /// The caller has taken an account slot; it is given back here, also during waits.
    func run() async -> Outcome {
        var schedule = AttemptSchedule(policy: self.services.policy)
        var attempts = 0
        var isUnresolved = false
        var last: Result?
        while true {
            let permit: CircuitBreaker.Permit
            switch self.account.admit(route: self.route.name, isFirst: attempts == 0, at: self.services.clock.now()) {
            case .admitted(let admitted):
                permit = admitted
            case .refused(let until):
                let now = self.services.clock.now()
                self.account.slots.release(at: now)
                // What the attempt before came to is more than that there is none now.
                let result = last.map(self.concluded) ?? .held(until - now)
                return Outcome(result: result, attempts: attempts, isUnresolved: isUnresolved)
            }
            attempts += 1
            let result = await self.attempt(permit)
            last = result
            isUnresolved = isUnresolved || Self.leavesDoubt(result)
            let next = schedule.next(after: self.event(of: result), random: self.services.clock.random())
            self.account.slots.release(at: self.services.clock.now())
            let outcome = { Outcome(result: self.concluded(result), attempts: attempts, isUnresolved: isUnresolved) }
            guard case .attempt(let delay, let isRetry) = next else { return outcome() }
            let now = self.services.clock.now()
            guard now + delay < self.deadline, !isRetry || self.account.takeRetry(at: now) else { return outcome() }
            self.logRetry(of: result, attempts: attempts, delay: delay)
            do {
                if delay > .zero { try await self.services.clock.sleep(delay) }
                let left = self.deadline - self.services.clock.now()
                try await self.account.slots.acquire(
                    client: self.client,
                    weight: self.services.limiter.limits(of: self.client).weight,
                    within: left,
                    clock: self.services.clock
                )
            } catch {
                return outcome()
            }
            guard self.services.clock.now() < self.deadline else {
                self.account.slots.release(at: self.services.clock.now())
                return outcome()
            }
        }
    }

    /// A doubt about clock or nonce that a fresh signature did not clear is a refusal of our credentials.
    private func concluded(_ result: Result) -> Result {
        guard case .coded(let response, let code) = result else { return result }
        guard code.kind != .credentialsOrClock else { return self.refused(code) }
        var metadata: LogMetadata = ["request.id": .string(self.requestID), "upstream.status": .int(response.status)]
        code.note(in: &metadata)
        self.services.logger.info("platform refused the call", metadata)
        return result
    }

    private func attempt(_ permit: CircuitBreaker.Permit) async -> Result {
        let result = await self.exchange()
        let now = self.services.clock.now()
        self.account.record(CircuitBreaker.Outcome(of: result), for: permit, route: self.route.name, at: now)
        return self.judgeAccount(result)
    }

    private func exchange() async -> Result {
        let now = self.services.clock.now()
        self.services.metrics.attempts.increment()
        let timestamp = self.correctedTime() / 1000
        var request = self.makeRequest(timestamp, UniqueID.next())
        request.timeout = min(self.services.policy.attemptTimeout, self.deadline - now)
        request.maximumResponseBody = self.services.maximumAnswer
        let response: HTTPTransportResponse
        do {
            response = try await self.services.transport.execute(request)
        } catch {
            return .failed(error)
        }
        return switch self.classify(response) {
        case .answered(let facts): .answered(response, facts)
        case .coded(let code): .coded(response, code)
        case .codeless: response.status == 401 ? .credentialsRefused : .codeless(response)
        case .malformed: .malformed
        }
    }

    /// Learns about the account from an answer, and tells a refusal of our credentials from one of the request.
    private func judgeAccount(_ result: Result) -> Result {
        switch result {
        case .coded(let response, let code):
            switch code.kind {
            case .credentials:
                return self.refused(code)
            case .credentialsOrClock:
                self.learnClock(from: response)
                return result
            case .final, .retryable, .inProgress:
                guard let fault = code.accountFault else { break }
                self.note(fault)
                return result
            }
        case .credentialsRefused:
            return self.refused(nil)
        case .failed, .held:
            return result
        case .answered, .codeless, .malformed:
            break
        }
        // Quota and balance are proved by what costs something; a report is given to an account without either.
        var speaksForAll = false
        if case .answered = result { speaksForAll = self.route.isPaid }
        if self.account.noteAcceptance(ofAll: speaksForAll, at: self.services.clock.now()) {
            self.services.logger.notice("platform account accepted again", ["account": .string(self.account.name)])
        }
        return result
    }

    private func refused(_ code: PlatformCode?) -> Result {
        if self.account.note(.credentials, clock: self.services.clock) {
            var metadata: LogMetadata = [
                "account": .string(self.account.name), "app_key": .appKey(self.account.appKey),
            ]
            code?.note(in: &metadata)
            self.services.logger.error(
                "platform refuses the account's credentials; correct its appKey and secretKey",
                metadata
            )
        }
        return .credentialsRefused
    }

    private func note(_ fault: AccountFault) {
        guard self.account.note(fault, clock: self.services.clock) else { return }
        self.services.logger.error(
            "platform account cannot carry calls",
            ["account": .string(self.account.name), "account.fault": .string(fault.rawValue)]
        )
    }

    private func correctedTime() -> Int64 { self.account.platformTime(self.services.clock) }

    private func learnClock(from response: HTTPTransportResponse) {
        self.account.learnClock(from: response, services: self.services)
    }

    private static func leavesDoubt(_ result: Result) -> Bool {
        switch result {
        case .answered, .credentialsRefused, .held: false
        // A call that runs there under our key is an execution; what comes after it does not undo it.
        case .coded(_, let code): code.kind == .inProgress
        case .malformed: true
        case .codeless(let response): !Self.provesRefusal(response.status)
        case .failed(let error): error.bytesSent > 0
        }
    }

    /// A bare 4xx says that the request was not executed, save those that mean "not now".
    static func provesRefusal(_ status: Int) -> Bool {
        (400..<500).contains(status) && ![408, 409, 425, 429].contains(status)
    }

    private func event(of result: Result) -> AttemptSchedule.Event {
        switch result {
        case .answered, .credentialsRefused, .held:
            return .final
        case .coded(let response, let code):
            switch code.kind {
            case .final, .credentials: return .final
            case .retryable: return .retryable(retryAfter: self.retryAfter(of: response))
            case .inProgress: return .inProgress(retryAfter: self.retryAfter(of: response))
            case .credentialsOrClock: return .credentialsOrClock
            }
        case .codeless(let response):
            let isRetryable = RetryPolicy.isRetryable(status: response.status)
            return isRetryable && self.route.isRepeatable
                ? .retryable(retryAfter: self.retryAfter(of: response)) : .final
        case .malformed:
            return self.route.isRepeatable ? .retryable(retryAfter: nil) : .final
        case .failed(let error):
            switch error.reason {
            case .tls, .tooLarge, .cancelled, .refused: return .final
            case .resolve, .connect, .timeout, .reset, .malformed:
                return error.bytesSent == 0 || self.route.isRepeatable ? .retryable(retryAfter: nil) : .final
            }
        }
    }

    private func retryAfter(of response: HTTPTransportResponse) -> Duration? {
        response.fields[.retryAfter].flatMap {
            RetryAfter.duration(of: $0, now: self.correctedTime())
        }
    }

    private func logRetry(of result: Result, attempts: Int, delay: Duration) {
        var metadata: LogMetadata = [
            "request.id": .string(self.requestID), "attempt": .int(attempts),
            "delay_ms": .milliseconds(delay),
        ]
        switch result {
        case .coded(let response, let code):
            metadata["upstream.status"] = .int(response.status)
            code.note(in: &metadata)
        case .codeless(let response): metadata["upstream.status"] = .int(response.status)
        case .failed(let error): metadata["upstream.failure"] = .string(error.reason.rawValue)
        case .malformed: metadata["upstream.failure"] = "malformed"
        case .answered, .credentialsRefused, .held: break
        }
        self.services.metrics.retries.increment()
        self.services.logger.warning("attempt failed, trying again", metadata)
    }
}

extension PlatformCode {
    /// Adds what the log says of a code.
    fileprivate func note(in metadata: inout LogMetadata) {
        metadata["upstream.code"] = .int(self.value)
        guard let meaning = self.meaning else { return }
        metadata["upstream.error"] = .string(meaning.name)
        metadata["upstream.category"] = .string(meaning.category.rawValue)
        metadata["upstream.meaning"] = .string(meaning.text)
    }
}
