extension Store {
    /// What the last days of a quota have used, the latest first.
    public func dayTotals(of owner: String) throws(StoreError) -> [DayTotal] {
        try self.readers.withReader { (reader) throws(StoreError) in try reader.dayTotals(of: owner) }
    }

    /// What the open call of a key has reserved.
    public func reservations(of scope: ScopeHash) throws(StoreError) -> [Reservation] {
        try self.readers.withReader { (reader) throws(StoreError) in try reader.reservations(of: scope) }
    }

    /// Moves a running claim that was certainly not executed to another account, before that one's first byte.
    ///
    /// - Parameters:
    ///   - appKey: The account that carries the call from now on.
    ///   - reservations: What takes the place of all that the claim had reserved.
    /// - Returns: False when the row does not carry the flight any more, or may have been executed.
    public func move(
        row: Int64,
        flight: FlightID,
        to appKey: String,
        reserving reservations: [Reservation]
    ) async throws(StoreError) -> Bool {
        try await self.writer.submit { (connection) throws(StoreError) in
            try connection.move(row: row, flight: flight, to: appKey, reserving: reservations)
        }
    }
}
