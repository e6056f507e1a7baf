import Cryptography

/// What the platform remembers of keys (contract yugu, section 7.2).
///
/// A pure state machine: it is told the time, and returns what is to be done; waiting is its caller's business.
struct IdempotencyTable: Sendable {
    /// A key within its tenant: equal keys of different tenants do not meet.
    struct Scope: Hashable, Sendable {
        var tenant: String
        var key: String
    }

    /// What a key stands for, once it succeeded.
    struct Answer: Sendable {
        var recordID: String
        var product: PaidProduct
        /// When it was done, in Unix milliseconds.
        var time: Int
    }

    /// Names one run of an evaluation, so that one that was given up cannot end another.
    struct Ticket: Hashable, Sendable {
        fileprivate var number: UInt64
    }

    /// What is to be done with a request.
    enum Admission: Sendable {
        /// Evaluate it, and report with the ticket how it ended.
        case evaluate(Ticket)
        /// Answer with the first result.
        case replay(Answer)
        /// The same request is running: wait for its end.
        case running(Ticket)
        /// The key belongs to another request.
        case reused
    }

    /// How long things last, and how much is kept.
    struct Limits: Sendable {
        var answerLifetime: Duration
        var runningLifetime: Duration
        var answerBytes: Int
        var answerCount: Int
    }

    private enum State: Sendable {
        case running(Ticket, since: ContinuousClock.Instant)
        case answered(Answer, at: ContinuousClock.Instant, weight: Int)
    }

    private struct Entry: Sendable {
        var fingerprint: Digest256
        var state: State
    }

    private let limits: Limits
    private var entries: [Scope: Entry] = [:]
    private var nextNumber: UInt64 = 0
    // Answered scopes by age. Those whose entry is gone or younger are skipped.
    private var order = AgeQueue<(scope: Scope, at: ContinuousClock.Instant)>()
    private var weight = 0
    private var answered = 0

    /// How many answers were forgotten for want of room, before their time.
    private(set) var evicted = 0

    /// An empty table.
    init(limits: Limits) {
        self.limits = limits
    }

    /// A key as it was sent; nil when it breaks the rules, which counts as none (contract yugu, section 7.1).
    static func key(_ text: String?) -> String? {
        text.flatMap { text in
            (1...200).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? text : nil
        }
    }

    /// Decides about a request.
    mutating func admit(
        _ scope: Scope,
        fingerprint: Digest256,
        now: ContinuousClock.Instant
    ) -> Admission {
        if let entry = self.entries[scope], self.isAlive(entry, now: now) {
            guard entry.fingerprint == fingerprint else { return .reused }
            switch entry.state {
            case .running(let ticket, _): return .running(ticket)
            case .answered(let answer, _, _): return .replay(answer)
            }
        }
        self.forget(scope)
        self.nextNumber += 1
        let ticket = Ticket(number: self.nextNumber)
        self.entries[scope] = Entry(fingerprint: fingerprint, state: .running(ticket, since: now))
        return .evaluate(ticket)
    }

    /// The evaluation succeeded: its answer is kept, unless the key has been given to another run meanwhile.
    ///
    /// - Parameter weight: How many bytes the answer takes that no other answer shares.
    mutating func succeed(
        _ scope: Scope,
        ticket: Ticket,
        answer: Answer,
        weight: Int,
        now: ContinuousClock.Instant
    ) {
        guard self.isRunning(scope, ticket: ticket) else { return }
        self.entries[scope]?.state = .answered(answer, at: now, weight: weight)
        self.order.append((scope, now))
        self.weight += weight
        self.answered += 1
        self.makeRoom(now: now)
    }

    /// The evaluation failed: the key is free again.
    mutating func fail(_ scope: Scope, ticket: Ticket) {
        if self.isRunning(scope, ticket: ticket) {
            self.entries[scope] = nil
        }
    }

    /// Forgets all keys.
    ///
    /// Tickets stay unique, so that runs from before cannot end runs from after.
    mutating func removeAll() {
        self.entries = [:]
        self.order = AgeQueue()
        self.weight = 0
        self.answered = 0
        self.evicted = 0
    }

    /// Whether this run still holds the key.
    func isRunning(_ scope: Scope, ticket: Ticket) -> Bool {
        if case .running(ticket, _)? = self.entries[scope]?.state { true } else { false }
    }

    private func isAlive(_ entry: Entry, now: ContinuousClock.Instant) -> Bool {
        switch entry.state {
        case .running(_, let since): now - since < self.limits.runningLifetime
        case .answered(_, let at, _): now - at < self.limits.answerLifetime
        }
    }

    private mutating func forget(_ scope: Scope) {
        if case .answered(_, _, let weight)? = self.entries.removeValue(forKey: scope)?.state {
            self.weight -= weight
            self.answered -= 1
        }
    }

    private mutating func makeRoom(now: ContinuousClock.Instant) {
        while let candidate = self.order.first {
            if case .answered(_, candidate.at, _)? = self.entries[candidate.scope]?.state {
                let isOver = self.weight > self.limits.answerBytes || self.answered > self.limits.answerCount
                let isExpired = now - candidate.at >= self.limits.answerLifetime
                guard isOver || isExpired else { break }
                if !isExpired { self.evicted += 1 }
                self.forget(candidate.scope)
            }
            self.order.popFirst()
        }
    }
}
