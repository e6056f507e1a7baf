/// What came and was not asked for yet, and who waits for what has not come.
///
/// Confined to a loop.
struct WebSocketIncoming {
    /// What a message in the queue costs beside its bytes, so that a flood of empty ones counts too.
    private static let overhead = 64

    private var messages: [WebSocketMessage] = []
    private var first = 0
    /// The message that has not ended yet.
    private var partial: [UInt8] = []
    /// All bytes that count against the budget.
    private(set) var keptBytes = 0
    private var receiver: CheckedContinuation<WebSocketMessage?, Never>?
    private var serial: UInt32 = 0

    /// Takes a piece of a message; false when there is no room for it.
    mutating func take(
        _ kind: WebSocketMessage.Kind,
        _ bytes: UnsafeRawBufferPointer,
        endsMessage: Bool,
        budget: WebSocketBudget
    ) -> Bool {
        guard endsMessage else {
            guard self.keep(bytes.count, budget) else { return false }
            self.partial.append(contentsOf: bytes)
            return true
        }
        let held = self.partial.count
        let content = held == 0 ? [UInt8](bytes) : self.partial + bytes
        self.partial = []
        let message = WebSocketMessage(kind: kind, bytes: content)
        if let receiver = self.receiver {
            self.receiver = nil
            self.giveBack(held, budget)
            receiver.resume(returning: message)
            return true
        }
        guard self.keep(bytes.count + Self.overhead, budget) else { return false }
        self.messages.append(message)
        return true
    }

    /// Takes the next message out of the queue.
    mutating func next(_ budget: WebSocketBudget) -> WebSocketMessage? {
        guard self.first < self.messages.count else { return nil }
        let message = self.messages[self.first]
        self.messages[self.first].bytes = []
        self.first += 1
        if self.first == self.messages.count {
            self.messages = []
            self.first = 0
        }
        self.giveBack(message.bytes.count + Self.overhead, budget)
        return message
    }

    /// Whether there is no whole message.
    var isEmpty: Bool { self.messages.isEmpty }

    // MARK: - Waiting

    mutating func newSerial() -> UInt32 {
        self.serial &+= 1
        return self.serial
    }

    mutating func wait(_ continuation: CheckedContinuation<WebSocketMessage?, Never>) {
        precondition(self.receiver == nil, "messages are received by one task at a time")
        self.receiver = continuation
    }

    /// Ends the wait that has this number, if it is still going on.
    mutating func cancel(_ serial: UInt32) {
        guard serial == self.serial else { return }
        self.letReceiverGo()
    }

    /// No more will come.
    mutating func finish(_ budget: WebSocketBudget) {
        self.giveBack(self.partial.count, budget)
        self.partial = []
        self.letReceiverGo()
    }

    private mutating func letReceiverGo() {
        let receiver = self.receiver
        self.receiver = nil
        receiver?.resume(returning: nil)
    }

    private mutating func keep(_ count: Int, _ budget: WebSocketBudget) -> Bool {
        guard budget.take(count) else { return false }
        self.keptBytes += count
        return true
    }

    private mutating func giveBack(_ count: Int, _ budget: WebSocketBudget) {
        self.keptBytes -= count
        budget.giveBack(count)
    }
}
