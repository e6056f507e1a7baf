private import Dispatch
private import Locking
internal import Telemetry

/// The writer: every write and every checkpoint happens on its queue, on one connection.
///
/// Whatever waits when the queue gets to it becomes one transaction, with one `fdatasync` for all.
///
/// `@unchecked`: `connection`, `backup`, `isTidying`, `lastWork` and `checkpointedPages` are touched on `queue` only; the rest is
/// locked.
final class Writer: @unchecked Sendable {
    /// What waits for the queue.
    private struct Inbox {
        var waiting: [any PendingWrite] = []
        /// Whether the queue will look into the inbox without being asked again.
        var isScheduled = false
        var isClosed = false
    }

    /// One transaction takes no more than this, so that the log grows in steps.
    private static let maximumBatch = (count: 1024, weight: 1 << 20)

    private let queue = DispatchQueue(label: "speechgate.store.writer")
    private let inbox = Locked(Inbox())
    private let published: Locked<WriterStatistics>
    private let cache: AnswerCache
    private let lock: StateLock
    private let maximumWaiting: Int
    private let checkpointPages: Int
    private let idleDelay: DispatchTimeInterval
    let metrics = StoreMetrics()

    private var connection: WriterConnection?
    private var backup: (path: String, copy: DatabaseBackup)?
    private var isTidying = false
    private var lastWork = 0
    /// Pages of the log at the last checkpoint.
    private var checkpointedPages = 0

    init(connection: WriterConnection, cache: AnswerCache, lock: StateLock, configuration: Store.Configuration) {
        self.cache = cache
        self.lock = lock
        self.maximumWaiting = configuration.maximumWaitingWrites
        self.checkpointPages = max(1, configuration.checkpointSize / connection.pageSize)
        self.idleDelay = .milliseconds(Int(clamping: configuration.idleDelay.wholeMilliseconds))
        self.published = Locked(
            WriterStatistics(
                counts: connection.counts,
                hasTombstones: connection.hasTombstones
            )
        )
        self.connection = connection
    }

    deinit {
        // Nobody may open the database before this connection is closed.
        self.backup = nil
        self.connection = nil
        self.lock.release()
    }

    var statistics: WriterStatistics {
        self.published.withLock { $0 }
    }

    // MARK: Taking writes

    /// Queues a write and returns after its commit.
    ///
    /// - Parameter weight: Roughly how many bytes it adds to the log.
    func submit<Value: Sendable>(
        weight: Int = 0,
        _ body: @escaping WriteRequest<Value>.Body
    ) async throws(StoreError) -> Value {
        let result = await withCheckedContinuation { continuation in
            self.enqueue(WriteRequest(weight: weight, body: body, continuation: continuation))
        }
        return try result.get()
    }

    private func enqueue(_ write: any PendingWrite) {
        enum Outcome {
            case waiting
            case first
            case refused(StoreError)
        }
        let outcome = self.inbox.withLock { (inbox) -> Outcome in
            guard !inbox.isClosed else {
                return .refused(.closed)
            }
            guard inbox.waiting.count < self.maximumWaiting else {
                return .refused(
                    StoreError(
                        code: .overloaded,
                        message: "\(inbox.waiting.count) writes are waiting for the store; try again later"
                    )
                )
            }
            inbox.waiting.append(write)
            defer {
                inbox.isScheduled = true
            }
            return inbox.isScheduled ? .waiting : .first
        }
        switch outcome {
        case .waiting:
            break
        case .first:
            self.queue.async {
                self.drain()
            }
        case .refused(let error):
            // Nobody else has seen it, so the queue's confinement of the result is not broken.
            write.fail(error)
            write.deliver()
        }
    }

    /// Finishes what waits, empties the log and lets go of connection and lock.
    ///
    /// Later writes are refused.
    func close() async {
        await withCheckedContinuation { continuation in
            self.inbox.withLock { $0.isClosed = true }
            self.queue.async {
                self.drain()
                self.backup = nil
                if let connection = self.connection {
                    _ = try? connection.database.checkpoint(.truncate)
                }
                self.connection = nil
                self.lock.release()
                continuation.resume()
            }
        }
    }

    /// How many writes wait.
    var waitingCount: Int {
        self.inbox.withLock { $0.waiting.count }
    }

    /// Stops as soon as nothing waits, until ``resume()``.
    func pause() {
        self.queue.suspend()
    }

    func resume() {
        self.queue.resume()
    }

    /// Runs one statement between two transactions and reads the first column of its first row.
    func administer(_ sql: String) async throws(StoreError) -> Int64? {
        let result = await withCheckedContinuation { continuation in
            self.queue.async {
                do throws(StoreError) {
                    let value = try self.connection?.database.integer(sql)
                    continuation.resume(returning: Result<Int64?, StoreError>.success(value ?? nil))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// How SQLite goes about the statements of the connection.
    func plans() async throws(StoreError) -> [(sql: String, steps: [String])] {
        try await self.onQueue { (_, connection) throws(StoreError) in try connection.database.plans() }
    }

    // MARK: Backup

    /// Begins to copy the database to an empty file; one copy at a time.
    func beginBackup(to path: String) async throws(StoreError) {
        try await self.onQueue { (writer, connection) throws(StoreError) in
            guard writer.backup == nil else {
                throw StoreError(
                    code: .overloaded,
                    message: "another backup is being made; try again when it has ended"
                )
            }
            writer.backup = (path, try DatabaseBackup(of: connection.database, to: path))
        }
    }

    /// Copies the next pages, between two transactions.
    ///
    /// - Returns: Whether the copy is whole.
    func stepBackup(pages: Int32) async throws(StoreError) -> Bool {
        try await self.onQueue { (writer, _) throws(StoreError) in
            guard let backup = writer.backup else { throw .closed }
            return try backup.copy.step(pages: pages)
        }
    }

    /// Lets go of the copy to a file, if it is the one being made.
    func endBackup(to path: String) async {
        try? await self.onQueue { (writer, _) throws(StoreError) in
            if writer.backup?.path == path { writer.backup = nil }
        }
    }

    private func onQueue<Value: Sendable>(
        _ body: @escaping @Sendable (Writer, WriterConnection) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            self.queue.async {
                do throws(StoreError) {
                    guard let connection = self.connection else { throw .closed }
                    continuation.resume(returning: .success(try body(self, connection)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    // MARK: On the queue

    private func drain() {
        while true {
            let batch = self.inbox.withLock { (inbox) -> [any PendingWrite] in
                let batch = Self.takeBatch(from: &inbox.waiting)
                if batch.isEmpty {
                    inbox.isScheduled = false
                }
                return batch
            }
            guard !batch.isEmpty else {
                break
            }
            guard let connection = self.connection else {
                for write in batch {
                    write.fail(.closed)
                    write.deliver()
                }
                continue
            }
            let start = ContinuousClock.now
            let transactions = connection.commitTogether(batch)
            self.metrics.transactionTime.observe(ContinuousClock.now - start)
            self.metrics.transactionWrites.observe(UInt64(batch.count))
            self.finish(batch, on: connection, transactions: transactions)
        }
        self.lastWork += 1
        self.scheduleTidying()
    }

    private static func takeBatch(from waiting: inout [any PendingWrite]) -> [any PendingWrite] {
        var weight = 0
        var count = 0
        for write in waiting.prefix(self.maximumBatch.count) {
            weight += write.weight
            if count > 0 && weight > self.maximumBatch.weight {
                break
            }
            count += 1
        }
        if count == waiting.count {
            let batch = waiting
            waiting = []
            return batch
        }
        let batch = Array(waiting[..<count])
        waiting.removeFirst(count)
        return batch
    }

    /// What follows a commit: the cache first, so that whoever is told of a write also sees it.
    private func finish(_ batch: [any PendingWrite], on connection: WriterConnection, transactions: Int) {
        self.cache.apply(connection.effects)
        connection.effects.removeAll(keepingCapacity: true)
        self.published.withLock {
            $0.counts = connection.counts
            $0.hasTombstones = connection.hasTombstones
            $0.transactions += transactions
            $0.logBytes = connection.database.walPages * connection.pageSize
        }
        for write in batch {
            write.deliver()
        }
        let pages = connection.database.walPages
        if pages < self.checkpointedPages {
            // The log has started over.
            self.checkpointedPages = 0
        }
        if pages - self.checkpointedPages >= self.checkpointPages {
            self.checkpoint(.passive, on: connection)
        }
    }

    /// - Returns: Whether all of the log was copied.
    @discardableResult
    private func checkpoint(_ mode: Database.Checkpoint, on connection: WriterConnection) -> Bool {
        // Also after a failure, and while a reader holds the log: the next try comes after another step.
        self.checkpointedPages = connection.database.walPages
        do throws(StoreError) {
            let isDone = try connection.database.checkpoint(mode)
            self.published.withLock {
                $0.checkpoints += 1
                $0.checkpointFailure = nil
            }
            return isDone
        } catch {
            self.published.withLock { $0.checkpointFailure = error.message }
            return false
        }
    }

    // MARK: Tidying

    private func scheduleTidying() {
        guard !self.isTidying, self.connection != nil else {
            return
        }
        self.isTidying = true
        let work = self.lastWork
        self.queue.asyncAfter(deadline: .now() + self.idleDelay) { [weak self] in
            self?.tidy(after: work)
        }
    }

    private func tidy(after work: Int) {
        self.isTidying = false
        guard let connection = self.connection else {
            return
        }
        guard work == self.lastWork else {
            self.scheduleTidying()
            return
        }
        // An emptied log must grow again, which makes the next commits slower; so it is emptied only to get rid of
        // deleted content. Otherwise the next commit after a whole checkpoint starts it over.
        if self.checkpoint(connection.hasDeletions ? .truncate : .passive, on: connection) {
            connection.hasDeletions = false
        } else {
            self.scheduleTidying()
        }
    }
}

/// What the writer has done so far.
struct WriterStatistics {
    var counts: ClaimCounts
    /// See ``WriterConnection/hasTombstones``.
    var hasTombstones: Bool
    var transactions = 0
    var logBytes = 0
    var checkpoints = 0
    var checkpointFailure: String?
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = self.components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}

extension StoreError {
    static let closed = StoreError(code: .closed, message: "the store is closed")
}
