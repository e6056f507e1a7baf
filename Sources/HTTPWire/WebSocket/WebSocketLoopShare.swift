internal import Synchronization

/// What all connections of one loop share: a buffer to encode in, the budget, and the counts.
///
/// `@unchecked Sendable`: `output` is touched on the loop only; the counts are atomic and the rest never changes.
public final class WebSocketLoopShare: @unchecked Sendable {
    /// What a frame is encoded into before the socket is asked to take it.
    var output: [UInt8] = []
    let budget: WebSocketBudget
    // Written on the loop only, read from anywhere.
    private let received = Atomic<Int>(0)
    private let sent = Atomic<Int>(0)

    /// Takes a budget, which other loops have too.
    public init(budget: WebSocketBudget) {
        self.budget = budget
    }

    /// Messages that came so far.
    public var receivedMessages: Int { self.received.load(ordering: .relaxed) }

    /// Messages that were sent so far.
    public var sentMessages: Int { self.sent.load(ordering: .relaxed) }

    func countReceived() {
        // No read-modify-write: this loop is the only writer.
        self.received.store(self.received.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    func countSent() {
        self.sent.store(self.sent.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    /// Encodes into the shared buffer and lends what came of it.
    func encode<Result>(_ write: (inout [UInt8]) -> Void, lend: (UnsafeRawBufferPointer) -> Result) -> Result {
        self.output.removeAll(keepingCapacity: true)
        write(&self.output)
        defer {
            // One large message must not hold its room for good.
            if self.output.capacity > 512 << 10 { self.output = [] }
        }
        return self.output.withUnsafeBytes(lend)
    }
}
