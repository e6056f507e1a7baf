extension Store {
    /// A record with its answer.
    ///
    /// - Parameter user: Nil finds any of the client's records, also those without a user.
    public func record(_ recordID: String, client: String, user: String?) throws(StoreError) -> RecordRow? {
        if let row = self.cache.record(recordID), row.client == client, user == nil || row.user == user {
            return row
        }
        let epoch = self.cache.epoch
        let row = try self.readers.withReader { (reader) throws(StoreError) in
            try reader.record(recordID, client: client, user: user)
        }
        if let row {
            self.cache.insert(key: nil, record: row, since: epoch)
        }
        return row
    }

    /// A page of records without their answers, newest first.
    ///
    /// - Parameters:
    ///   - filter: Which records.
    ///   - position: The last record of the page before; nil for the first page.
    ///   - limit: The largest number of records.
    public func records(
        _ filter: RecordFilter,
        behind position: RecordPosition? = nil,
        limit: Int
    ) throws(StoreError) -> [RecordSummary] {
        try self.readers.withReader { (reader) throws(StoreError) in
            try reader.recordPages.page(filter, behind: position, limit: limit)
        }
    }

    /// How SQLite would go about a statement: a test's way to see that no table is walked through.
    package func plan(of sql: String) throws(StoreError) -> [String] {
        try self.readers.withReader { (reader) throws(StoreError) in try reader.database.plan(of: sql) }
    }

    /// The same of all statements that the writer and a reader keep.
    package func plans() async throws(StoreError) -> [(sql: String, steps: [String])] {
        let reading = try self.readers.withReader { (reader) throws(StoreError) in try reader.database.plans() }
        return try await self.writer.plans() + reading
    }
}
