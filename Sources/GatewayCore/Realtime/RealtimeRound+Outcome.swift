internal import HTTPWire

extension RealtimeRound {
    /// What the failure of a round is to those who wait for its result (design, section 4, step 8).
    func outcome(of failure: RealtimeSession.Failure) -> RoundOutcome {
        RoundOutcome(
            result: self.result(of: failure),
            attempts: self.connectionCount,
            isUnresolved: failure.mayBeExecuted
        )
    }

    private func result(of failure: RealtimeSession.Failure) -> RoundOutcome.Result {
        if failure.reason == .loss, let refusal = failure.loss?.refusal, let code = refusal.code,
            code.kind != .inProgress
        {
            return .refused(self.result(of: refusal, code))
        }
        guard !failure.mayBeExecuted else { return .unknown }
        if failure.reason == .loss, let refusal = failure.loss?.refusal, refusal.status == nil {
            // An error frame without a code, before anything could be evaluated.
            return .refused(.passed(HTTPResponse(status: HTTPStatus(400), body: refusal.content)))
        }
        return .refused(.failed(Self.error(of: failure)))
    }

    private func result(of refusal: RealtimeSession.PlatformRefusal, _ code: PlatformCode) -> FlightResult {
        switch code.kind {
        // Apps must not log their users out because we hold a stale secret.
        case .credentials, .credentialsOrClock: return .failed(.accountRefused)
        case .final, .retryable, .inProgress: break
        }
        let frame = self.dialect.frame(of: refusal) ?? refusal.content
        return .passed(HTTPResponse(status: HTTPStatus(max(400, code.usualStatus)), body: frame))
    }

    private static func error(of failure: RealtimeSession.Failure) -> GatewayError {
        switch failure.reason {
        case .bufferOverflow: return failure.loss == nil ? .audioTooEarly : .audioNotKept
        case .noRoom: return .noRoomForAudio
        case .resultTimeout: return .outcomeUnknown
        case .reconnectsExhausted:
            if case .noAccount(let error, _)? = failure.loss { return error }
            return .reconnectsExhausted(failure.loss?.name ?? "")
        case .loss: break
        }
        switch failure.loss {
        case .noAccount(let error, _): return error
        case .closed(let code?, _): return .platformClosed(code: code)
        case .unexpected(let what): return .platformUnexpected(what)
        case .refused(let refusal, _) where refusal.status == 401: return .accountRefused
        case .some(let loss): return .unreachable(loss.name)
        case .none: return .unexpected
        }
    }
}

extension RealtimeSession.Loss {
    fileprivate var refusal: RealtimeSession.PlatformRefusal? {
        switch self {
        case .refusal(let refusal), .refused(let refusal, _): refusal
        default: nil
        }
    }

    /// A word for logs and messages.
    var name: String {
        switch self {
        case .transport(let what): what
        case .tls: "tls"
        case .refused(let refusal, _): "status \(refusal.status ?? 0)"
        case .noAccount: "no_account"
        case .closed(let code, _): code.map { "close \($0)" } ?? "closed"
        case .connectTimeout: "connect_timeout"
        case .pongMissing: "pong_missing"
        case .resultTimeout: "result_timeout"
        case .refusal(let refusal): refusal.code.map { "code \($0.value)" } ?? "error frame"
        case .unexpected: "unexpected"
        case .replaced: "replaced"
        }
    }
}
