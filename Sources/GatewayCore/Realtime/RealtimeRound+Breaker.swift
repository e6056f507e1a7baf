/// Each connection is an attempt on its route twice: until the platform has accepted the round's parameters, and from the
/// end frame to the result. A link that breaks once the round runs is no news: whether the platform is there, the next
/// connection tells.
extension RealtimeRound {
    /// Asks the breaker for a connection.
    ///
    /// A round that has run goes on trying: its own schedule is what keeps it back, and somebody has spoken.
    ///
    /// - Parameter isFirst: Whether the round begins with it.
    /// - Throws: 502/50200 while it lets none through.
    func admit(_ account: Account, isFirst: Bool) throws(GatewayError) {
        let now = self.now
        switch account.admit(route: self.dialect.operation, isFirst: isFirst, at: now) {
        case .admitted(let permit): self.attempt = (account, permit, isOpening: true)
        case .refused(let until): guard self.hasBeenConnected else { throw .platformFailing(retryAfter: until - now) }
        }
    }

    /// From now on the result counts, unless the breaker would not let it through: the end goes all the same.
    func judgeEnd() {
        guard let account = self.account,
            case .admitted(let permit) = account.admit(route: self.dialect.operation, isFirst: false, at: self.now)
        else { return }
        self.attempt = (account, permit, isOpening: false)
    }

    /// Tells the breaker what became of the attempt under way, if one is.
    func judge(_ outcome: CircuitBreaker.Outcome) {
        guard let attempt = self.attempt else { return }
        self.attempt = nil
        attempt.account.record(outcome, for: attempt.permit, route: self.dialect.operation, at: self.now)
    }

    /// Tells the breaker that the attempt under way was lost, if one is.
    func judge(_ loss: RealtimeSession.Loss) {
        guard let attempt = self.attempt else { return }
        self.judge(CircuitBreaker.Outcome(of: loss, whileOpening: attempt.isOpening))
    }
}

extension CircuitBreaker.Outcome {
    /// What the loss of a connection says about its route, as for other calls.
    init(of loss: RealtimeSession.Loss, whileOpening isOpening: Bool) {
        switch loss {
        case .connectTimeout, .resultTimeout, .unexpected:
            self = .failure
        case .transport, .tls, .pongMissing:
            self = isOpening ? .failure : .none
        case .closed:
            self = !loss.isRetryable ? .success : isOpening ? .failure : .none
        case .refusal(let refusal), .refused(let refusal, _):
            let status = refusal.status ?? refusal.code?.usualStatus ?? 0
            let isOfServer = status >= 500 && refusal.code.map { $0.kind == .retryable } ?? true
            self = isOfServer ? .failure : .success
        case .noAccount, .replaced:
            self = .none
        }
    }
}
