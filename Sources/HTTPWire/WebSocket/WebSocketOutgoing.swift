/// What the socket did not take at once, and who waits until it has taken more.
///
/// Confined to a loop.
struct WebSocketOutgoing {
    private var bytes: [UInt8] = []
    private var offset = 0
    private var senders: [CheckedContinuation<Void, Never>] = []
    /// The ping to be answered behind all that waits.
    var latestPing: [UInt8]?

    var isEmpty: Bool { self.bytes.isEmpty }
    /// Bytes that are still to leave.
    var waitingBytes: Int { self.bytes.count - self.offset }
    /// All bytes that count against the budget.
    var keptBytes: Int { self.bytes.count }

    /// Puts bytes behind all others; false when there is no room for them.
    mutating func keep(_ more: Slice<UnsafeRawBufferPointer>, budget: WebSocketBudget) -> Bool {
        guard budget.take(more.count) else { return false }
        // What has left need not be moved when there is more room needed.
        if self.offset > 64 << 10, self.offset > self.bytes.count / 2 {
            self.bytes.removeSubrange(..<self.offset)
            budget.giveBack(self.offset)
            self.offset = 0
        }
        self.bytes.append(contentsOf: more)
        return true
    }

    /// Lends what is to leave next.
    func lend<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        self.bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[self.offset...])) }
    }

    /// Bytes have left.
    mutating func left(_ count: Int, budget: WebSocketBudget) {
        self.offset += count
        if self.offset == self.bytes.count { self.drop(budget) }
    }

    /// Nothing of it will leave any more.
    mutating func drop(_ budget: WebSocketBudget) {
        budget.giveBack(self.bytes.count)
        self.bytes = []
        self.offset = 0
    }

    // MARK: - Waiting

    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) {
        self.senders.append(continuation)
    }

    mutating func letSendersGo() {
        guard !self.senders.isEmpty else { return }
        let senders = self.senders
        self.senders = []
        for sender in senders { sender.resume() }
    }
}
