internal import Store

/// Answers that were paid for and that the store has not taken, bounded in number and in bytes.
///
/// Most wait for the store to recover. One that is refused again and again while the store takes other writes of its
/// size is not the store's trouble: it is set aside, so that it holds up nobody, and tried again with the next recovery.
struct UnwrittenAnswers: Sendable {
    /// How much is kept.
    struct Limits: Sendable {
        /// Answers that wait; no call is sent in trouble, so they are those of calls that ran at its beginning.
        var waiting = (count: 1024, bytes: 64 << 20)
        /// Answers that are set aside; the oldest goes first.
        var aside = (count: 64, bytes: 8 << 20)
        /// Refusals, with the store in order each time, until an answer is set aside.
        var refusals = 3
    }

    /// What became of an answer that was refused.
    enum Refusal: Sendable {
        /// It is tried again.
        case waits
        /// It is set aside; others have made room for it and are gone.
        case setAside(dropped: [NewAnswer])
    }

    private struct Entry {
        let answer: NewAnswer
        var refusals = 0
    }

    private let limits: Limits
    private var waiting: [Entry] = []
    private var waitingBytes = 0
    private var aside: [NewAnswer] = []
    private var asideBytes = 0

    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    var isNoneWaiting: Bool { self.waiting.isEmpty }
    var waitingCount: Int { self.waiting.count }
    var asideCount: Int { self.aside.count }
    /// The answers that wait, the oldest first.
    var waitingAnswers: [NewAnswer] { self.waiting.map(\.answer) }
    /// The bytes of the largest content that waits.
    var largestWaiting: Int { self.waiting.lazy.map(\.answer.body.count).max() ?? 0 }

    /// Lets an answer wait.
    ///
    /// - Returns: False when there is no room.
    mutating func add(_ answer: NewAnswer) -> Bool {
        let size = Self.size(of: answer)
        guard self.waiting.count < self.limits.waiting.count,
            self.waitingBytes + size <= self.limits.waiting.bytes
        else { return false }
        self.waiting.append(Entry(answer: answer))
        self.waitingBytes += size
        return true
    }

    /// Forgets an answer that waited: it is written.
    mutating func remove(_ answer: NewAnswer) {
        guard let index = self.index(of: answer) else { return }
        self.waitingBytes -= Self.size(of: self.waiting.remove(at: index).answer)
    }

    /// Counts a refusal by a store that is in order.
    ///
    /// - Parameter isFinal: Whether trying again is known to be of no use.
    mutating func refuse(_ answer: NewAnswer, isFinal: Bool) -> Refusal {
        guard let index = self.index(of: answer) else { return .waits }
        self.waiting[index].refusals += 1
        guard isFinal || self.waiting[index].refusals >= self.limits.refusals else { return .waits }
        self.remove(answer)
        return .setAside(dropped: self.setAside(answer))
    }

    /// Keeps an answer without trying to write it.
    ///
    /// - Returns: What had to make room for it, possibly itself.
    mutating func setAside(_ answer: NewAnswer) -> [NewAnswer] {
        self.aside.append(answer)
        self.asideBytes += Self.size(of: answer)
        var dropped: [NewAnswer] = []
        while self.aside.count > self.limits.aside.count || self.asideBytes > self.limits.aside.bytes {
            dropped.append(self.aside.removeFirst())
            self.asideBytes -= Self.size(of: dropped[dropped.count - 1])
        }
        return dropped
    }

    /// Lets what was set aside wait once more, as far as there is room.
    mutating func retryAside() {
        for answer in self.aside where self.add(answer) { self.dropAside { $0.claim.flight == answer.claim.flight } }
    }

    /// Forgets what was set aside and is not to be kept any more.
    ///
    /// - Returns: What is gone.
    @discardableResult
    mutating func dropAside(where isUnwanted: (NewAnswer) -> Bool) -> [NewAnswer] {
        let dropped = self.aside.filter(isUnwanted)
        self.aside.removeAll(where: isUnwanted)
        self.asideBytes -= dropped.reduce(0) { $0 + Self.size(of: $1) }
        return dropped
    }

    private func index(of answer: NewAnswer) -> Int? {
        self.waiting.firstIndex { $0.answer.claim.flight == answer.claim.flight }
    }

    private static func size(of answer: NewAnswer) -> Int { answer.body.count + 1024 }
}
