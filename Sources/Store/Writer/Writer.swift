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
    private let queue = DispatchQueue(label: "speechgate.store.writer")
    private let inbox: Locked<WriteInbox>
    private let published: Locked<WriterStatistics>
    private let cache: AnswerCache
    private let lock: StateLock
    private let checkpointPages: Int
    private let idleDelay: DispatchTimeInterval
    let metrics = StoreMetrics()

    private var connection: WriterConnection?
    /// The copy that is being made.
    var backup: (path: String, copy: DatabaseBackup)?
    private var isTidying = false
    private var lastWork = 0
    /// Pages of the log at the last checkpoint.
    private var checkpointedPages = 0

    init(connection: WriterConnection, cache: AnswerCache, lock: StateLock, configuration: Store.Configuration) {
        self.cache = cache
        self.lock = lock
        self.inbox = Locked(WriteInbox(capacity: configuration.maximumWaitingWrites))
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
        let outcome = self.inbox.withLock { $0.add(write) }
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
            self.inbox.withLock { $0.close() }
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
        self.inbox.withLock { $0.count }
    }

    /// Stops as soon as nothing waits, until ``resume()``; returns once it has stopped.
    func pause() {
        // Suspending holds back the next block only. Out of a block of its own it comes behind a drain that still runs,
        // which would take what is queued from now on.
        self.queue.sync { self.queue.suspend() }
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

    /// Does something between two transactions.
    func onQueue<Value: Sendable>(
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
            let batch = self.inbox.withLock { $0.takeBatch() }
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
