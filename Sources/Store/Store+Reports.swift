extension Store {
    /// A record with its report; nil when there is no record that the principal may see.
    ///
    /// - Parameter user: Nil finds any of the client's records, also those without a user.
    public func report(_ recordID: String, client: String, user: String?) throws(StoreError) -> ReportRow? {
        if let row = self.cache.report(recordID), row.client == client, user == nil || row.user == user {
            return row
        }
        let epoch = self.cache.epoch
        let row = try self.readers.withReader { (reader) throws(StoreError) in
            try reader.report(recordID, client: client, user: user)
        }
        if let row {
            self.cache.insert(report: row, since: epoch)
        }
        return row
    }

    /// Keeps a report beside its record for as long as that is kept, in place of an older one that was not complete.
    ///
    /// - Parameter row: The record; when it has gone meanwhile, nothing is stored.
    public func keep(_ report: StoredReport, of row: ReportRow) async throws(StoreError) {
        let frame = self.compressor.compress(report.body)
        let weight = 4096 + (frame ?? report.body).count
        try await self.writer.submit(weight: weight) { (connection) throws(StoreError) in
            try connection.keep(report, frame: frame, of: row)
        }
    }
}

extension WriterConnection {
    /// - Parameter frame: The body as ``Compressor`` made it smaller.
    func keep(_ report: StoredReport, frame: [UInt8]?, of row: ReportRow) throws(StoreError) {
        try (frame ?? report.body).withUnsafeBufferPointer { (body) throws(StoreError) in
            try self.statements.keepReport.run {
                $0.bind(row.id, at: 1)
                $0.bind(report.fetchedAt, at: 2)
                $0.bind(report.isComplete ? 1 : 0, at: 3)
                $0.bind(report.contentType, at: 4)
                $0.bind(frame == nil ? 0 : 1, at: 5)
                $0.bind(borrowing: body, at: 6)
            }
        }
        self.effects.append(.purgeReport(row.recordID))
    }
}
