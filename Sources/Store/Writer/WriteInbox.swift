/// What waits for the writer's queue.
struct WriteInbox {
    /// What became of a write that was added.
    enum Outcome {
        /// The queue will come to it.
        case waiting
        /// It waits, and the queue is to be told so.
        case first
        /// It does not wait.
        case refused(StoreError)
    }

    /// One transaction takes no more than this, so that the log grows in steps.
    private static let maximumBatch = (count: 1024, weight: 1 << 20)

    private let capacity: Int
    private var waiting: [any PendingWrite] = []
    /// Whether the queue will look in here without being asked again.
    private var isScheduled = false
    private var isClosed = false

    /// - Parameter capacity: How many writes may wait.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// How many writes wait.
    var count: Int { self.waiting.count }

    /// Adds a write behind the others.
    mutating func add(_ write: any PendingWrite) -> Outcome {
        guard !self.isClosed else {
            return .refused(.closed)
        }
        guard self.waiting.count < self.capacity else {
            return .refused(
                StoreError(
                    code: .overloaded,
                    message: "\(self.waiting.count) writes are waiting for the store; try again later"
                )
            )
        }
        self.waiting.append(write)
        defer {
            self.isScheduled = true
        }
        return self.isScheduled ? .waiting : .first
    }

    /// Takes what becomes the next transaction; when that is nothing, the queue rests until a write is the first again.
    mutating func takeBatch() -> [any PendingWrite] {
        var weight = 0
        var count = 0
        for write in self.waiting.prefix(Self.maximumBatch.count) {
            weight += write.weight
            if count > 0 && weight > Self.maximumBatch.weight {
                break
            }
            count += 1
        }
        if count == 0 {
            self.isScheduled = false
        }
        if count == self.waiting.count {
            let batch = self.waiting
            self.waiting = []
            return batch
        }
        let batch = Array(self.waiting[..<count])
        self.waiting.removeFirst(count)
        return batch
    }

    /// Refuses writes from now on.
    mutating func close() {
        self.isClosed = true
    }
}
