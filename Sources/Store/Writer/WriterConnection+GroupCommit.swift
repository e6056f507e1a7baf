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
        var failure = self.transaction { (connection) throws(StoreError) in
            for write in writes {
                try write.perform(on: connection)
            }
        }
        if failure?.isOfOneWrite == true && writes.count > 1 {
            failure = self.transaction { (connection) throws(StoreError) in
                for write in writes {
                    try connection.performInSavepoint(write)
                }
            }
        }
        guard let failure else {
            return 1
        }
        guard failure.isOfOneWrite && writes.count > 1 else {
            writes.forEach { $0.fail(failure.error) }
            return 0
        }
        return writes.reduce(0) { $0 + self.commitTogether([$1]) }
    }

    private struct Failure {
        let error: StoreError
        /// Whether the other writes may succeed without one of them.
        let isOfOneWrite: Bool
    }

    /// Undoes everything when anything fails.
    private func transaction(_ body: (WriterConnection) throws(StoreError) -> Void) -> Failure? {
        let before = self.mark
        var isOfOneWrite = false
        do throws(StoreError) {
            try self.begin()
            isOfOneWrite = true
            try body(self)
            isOfOneWrite = false
            try self.commit()
            return nil
        } catch {
            self.rollback()
            self.restore(before)
            // A large write may be what fills the disk, and it shows at the commit.
            return Failure(error: error, isOfOneWrite: isOfOneWrite || error.isFullDisk)
        }
    }

    /// - Throws: When the whole transaction is lost.
    private func performInSavepoint(_ write: any PendingWrite) throws(StoreError) {
        let before = self.mark
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
}
