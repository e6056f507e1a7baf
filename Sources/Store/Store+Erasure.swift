extension Store {
    /// Whether a key was erased and its retention has not ended.
    public func isErased(_ scope: ScopeHash) throws(StoreError) -> Bool {
        // Most stores have never erased anything, and then a new key needs no second question.
        guard self.writer.statistics.hasTombstones else { return false }
        return try self.readers.withReader { (reader) throws(StoreError) in try reader.isErased(scope) }
    }

    /// Erases a record: its answer and its key go too, and the key answers 410 until its retention ends.
    ///
    /// - Parameters:
    ///   - user: Nil finds any of the client's records.
    ///   - actor: Who wants it, for the audit.
    ///   - now: The present time, in Unix milliseconds.
    /// - Returns: What was erased; nil when there is no such record.
    public func eraseRecord(
        _ recordID: String,
        client: String,
        user: String?,
        by actor: String,
        now: Int64
    ) async throws(StoreError) -> ErasedCounts? {
        let retention = KeyRetention(self.configuration)
        return try await self.writer.submit(weight: 1 << 16) { (connection) throws(StoreError) in
            try connection.eraseRecord(
                recordID,
                client: client,
                user: user,
                actor: actor,
                retention: retention,
                now: now
            )
        }
    }

    /// Begins the erasure of a user's calls; ``continueErasure(_:now:limit:)`` does it.
    ///
    /// - Returns: The id of the erasure, which outlives a restart.
    public func beginErasure(_ new: NewErasure) async throws(StoreError) -> Int64 {
        try await self.writer.submit { (connection) throws(StoreError) in try connection.beginErasure(new) }
    }

    /// Erases the next calls of a user, a small batch, so that no batch holds up a paid call.
    ///
    /// - Parameters:
    ///   - now: The present time, in Unix milliseconds.
    ///   - limit: The largest number of calls.
    public func continueErasure(
        _ id: Int64,
        now: Int64,
        limit: Int = 64
    ) async throws(StoreError) -> ErasureProgress {
        let retention = KeyRetention(self.configuration)
        return try await self.writer.submit(weight: limit * 4096) { (connection) throws(StoreError) in
            try connection.continueErasure(id, retention: retention, now: now, limit: limit)
        }
    }

    /// The erasures that were begun and are not finished.
    public func pendingErasures() async throws(StoreError) -> [Int64] {
        try await self.writer.submit { (connection) throws(StoreError) in try connection.pendingErasures() }
    }
}
