private import Dispatch

extension Store {
    /// Sums are made here, one list at a time: a year of a large client takes longer than a loop may stand still.
    private static let questions = DispatchQueue(label: "speechgate.store.questions")

    /// Adds to what was used.
    ///
    /// - Parameter flight: The last flight that had begun when this was counted: a user who is erased since is not
    ///   named.
    public func addUsage(
        _ usage: [UsageKey: UsageCounts],
        countedUpTo flight: FlightID? = nil
    ) async throws(StoreError) {
        try await self.writer.submit(weight: usage.count * 256) { (connection) throws(StoreError) in
            for (key, counts) in usage {
                let isErased = flight.map { connection.isErased(user: key.user, client: key.client, since: $0) }
                connection.count(counts, for: isErased == true ? key.anonymous : key)
            }
        }
    }

    /// Sums of usage in the order of their groups.
    ///
    /// - Parameters:
    ///   - group: Shows groups behind this one only.
    ///   - limit: The largest number of groups.
    public func usage(
        _ filter: UsageFilter,
        by grouping: UsageGrouping,
        after group: String? = nil,
        limit: Int
    ) async throws(StoreError) -> [UsageRow] {
        let result: Result<[UsageRow], StoreError> = await withCheckedContinuation { continuation in
            Self.questions.async {
                do throws(StoreError) {
                    let rows = try self.readers.withReader { (reader) throws(StoreError) in
                        try reader.usage(filter, by: grouping, after: group, limit: limit)
                    }
                    continuation.resume(returning: .success(rows))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
