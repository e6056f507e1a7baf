/// What has become of a round's audio, by position; the bytes are the shell's (contract yugu, section 10.9).
struct RoundAudio: Sendable {
    /// The most audio in one frame.
    static let maximumFrame = 32_000

    private let policy: BufferPolicy
    /// What is kept at most.
    private let limit: Int
    /// The audio that was accepted; with the drop policy, without what was lost.
    private var received = 0
    /// What of it the present connection has.
    private var sent = 0
    /// From where on it is kept; beyond zero, no other connection can get all.
    private var keptFrom = 0
    /// What the drop policy has lost since a connection stood.
    private var droppedBytes = 0
    /// Whether kept audio is on its way: what comes meanwhile goes behind it.
    var isFlushing = false

    init(policy: BufferPolicy, limit: Int) {
        self.policy = policy
        self.limit = limit
    }

    /// Whether the present connection has all of it.
    var isSent: Bool { self.sent == self.received }
    /// Whether the present connection has none of it.
    var isUnsent: Bool { self.sent == 0 }
    /// Whether another connection could get all of it.
    var isWhole: Bool { self.keptFrom == 0 }
    /// Whether some of it is kept.
    var isKept: Bool { self.keptFrom < self.received }
    /// Whether more waits than is kept at most.
    var isFull: Bool { !self.isSent && self.received - self.keptFrom > self.limit }

    /// Audio came, and is sent at once.
    ///
    /// - Returns: Whether a copy is kept.
    mutating func pass(_ count: Int) -> Bool {
        self.received += count
        self.sent += count
        let isKept = self.policy == .replay && self.keptFrom == 0 && self.received <= self.limit
        if !isKept { self.forget() }
        return isKept
    }

    /// Audio came, and is sent later.
    ///
    /// - Parameter isMoving: Whether what is kept is being sent: it gets through, and then is no longer kept.
    /// - Returns: Whether there is room for it.
    mutating func keep(_ count: Int, isMoving: Bool) -> Bool {
        self.received += count
        return self.received - self.keptFrom <= self.limit || isMoving
    }

    /// Audio came that nobody will hear.
    mutating func drop(_ count: Int) {
        self.droppedBytes += count
    }

    /// The next stretch of kept audio to send; positions count from the first byte that is kept.
    mutating func next() -> Range<Int>? {
        guard !self.isSent else { return nil }
        let start = self.sent - self.keptFrom
        let count = min(Self.maximumFrame, self.received - self.sent)
        self.sent += count
        return start..<start + count
    }

    /// All of it was sent.
    mutating func noteFlushed() {
        self.isFlushing = false
        if self.policy != .replay || self.received > self.limit { self.forget() }
    }

    /// What was kept no longer is.
    mutating func forget() {
        self.keptFrom = self.received
    }

    /// The connection is lost: another one gets all of it again, or what comes from now on.
    mutating func rewind(hasStarted: Bool) {
        self.isFlushing = false
        guard self.policy == .drop, hasStarted else {
            self.sent = 0
            return
        }
        self.droppedBytes += self.received - self.sent
        self.received = self.sent
        self.forget()
    }

    /// A connection stands again.
    ///
    /// - Returns: What was lost meanwhile.
    mutating func takeDroppedBytes() -> Int {
        defer { self.droppedBytes = 0 }
        return self.droppedBytes
    }

    /// What came before counts no longer.
    mutating func restart() {
        self = RoundAudio(policy: self.policy, limit: self.limit)
    }
}
