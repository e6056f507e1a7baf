/// Each connection is an attempt on its route twice: until the platform has accepted the round's parameters, and from the
/// end frame to the result. A link that breaks in between is no news: whether the platform is there, the next one tells.
extension RealtimeRound {
    /// Asks the breaker for a connection.
    ///
    /// - Throws: 502/50200 while it lets none through.
    func admit(_ account: Account) throws(GatewayError) {
        let now = self.now
        switch account.admit(route: self.dialect.operation, isFirst: self.connectionCount == 1, at: now) {
        case .admitted(let permit): self.attempt = (account, permit)
        case .refused(let until): throw .platformFailing(retryAfter: until - now)
        }
    }

    /// From now on the result counts, unless the breaker would not let it through: the end goes all the same.
    func judgeEnd() {
        guard let account = self.account,
            case .admitted(let permit) = account.admit(route: self.dialect.operation, isFirst: false, at: self.now)
        else { return }
        self.attempt = (account, permit)
    }

    /// Tells the breaker what became of the attempt under way, if one is.
    func judge(_ outcome: CircuitBreaker.Outcome) {
        guard let (account, permit) = self.attempt else { return }
        self.attempt = nil
        account.record(outcome, for: permit, route: self.dialect.operation, at: self.now)
    }
}

extension CircuitBreaker.Outcome {
    /// What the loss of a connection says about its route, as for other calls.
    init(of loss: RealtimeSession.Loss) {
        switch loss {
        case .transport, .tls, .connectTimeout, .pongMissing, .resultTimeout, .unexpected:
            self = .failure
        case .closed:
            self = loss.isRetryable ? .failure : .success
        case .refusal(let refusal), .refused(let refusal, _):
            let status = refusal.status ?? refusal.code?.usualStatus ?? 0
            let isOfServer = status >= 500 && refusal.code.map { $0.kind == .retryable } ?? true
            self = isOfServer ? .failure : .success
        case .noAccount, .replaced:
            self = .none
        }
    }
}
