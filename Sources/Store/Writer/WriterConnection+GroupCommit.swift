extension WriterConnection {
    /// Makes one transaction of many writes, and no write pay for another's failure.
    ///
    /// Three ways, from fast to safe:
    /// 1. *Together*: one transaction without savepoints. Refusals write nothing, so only a failure of SQLite spoils it.
    /// 2. *Apart*: after such a failure all are done again, each inside a savepoint; the bad one is undone alone.
    /// 3. *Alone*: when SQLite gave up the transaction itself (a full disk does that), each becomes a transaction.
    ///
    /// Way 1 exists because a savepoint makes SQLite keep a copy of every page that a write is the first to touch.
    ///
    /// - Returns: How many transactions were committed. Each write holds its result.
    func commitTogether(_ writes: [any PendingWrite]) -> Int {
        let before = (counts: self.counts, effects: self.effects.count)
        switch self.transaction(writes, apart: false) {
        case .committed:
            return 1
        case .commitFailed(let error):
            self.restore(before)
            writes.forEach { $0.fail(error) }
            return 0
        case .writeFailed(let error) where writes.count == 1:
            self.restore(before)
            writes[0].fail(error)
            return 0
        case .writeFailed:
            self.restore(before)
        }
        switch self.transaction(writes, apart: true) {
        case .committed:
            return 1
        case .commitFailed(let error):
            self.restore(before)
            writes.forEach { $0.fail(error) }
            return 0
        case .writeFailed:
            self.restore(before)
            return writes.reduce(0) { $0 + self.commitTogether([$1]) }
        }
    }

    private enum Outcome {
        case committed
        /// The transaction is undone.
        case writeFailed(StoreError)
        /// The transaction is undone, and no other way will do better.
        case commitFailed(StoreError)
    }

    private func transaction(_ writes: [any PendingWrite], apart: Bool) -> Outcome {
        do throws(StoreError) {
            try self.begin()
        } catch {
            self.rollback()
            return .commitFailed(error)
        }
        do throws(StoreError) {
            for write in writes {
                if apart {
                    try self.performInSavepoint(write)
                } else {
                    try write.perform(on: self)
                }
            }
        } catch {
            self.rollback()
            return .writeFailed(error)
        }
        do throws(StoreError) {
            try self.commit()
        } catch {
            self.rollback()
            return .commitFailed(error)
        }
        return .committed
    }

    /// - Throws: When the whole transaction is lost.
    private func performInSavepoint(_ write: any PendingWrite) throws(StoreError) {
        let before = (counts: self.counts, effects: self.effects.count)
        try self.statements.savepoint.run()
        do throws(StoreError) {
            try write.perform(on: self)
        } catch {
            guard self.database.isInTransaction else {
                throw error
            }
            try self.statements.rollbackToSavepoint.run()
            self.restore(before)
            write.fail(error)
        }
        try self.statements.releaseSavepoint.run()
    }

    private func restore(_ before: (counts: ClaimCounts, effects: Int)) {
        self.counts = before.counts
        self.effects.removeLast(self.effects.count - before.effects)
    }
}
