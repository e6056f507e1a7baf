extension Reader {
    /// Sums of usage in the order of their groups.
    ///
    /// - Parameters:
    ///   - group: Shows groups behind this one only.
    ///   - limit: The largest number of groups.
    func usage(
        _ filter: UsageFilter,
        by grouping: UsageGrouping,
        after group: String?,
        limit: Int
    ) throws(StoreError) -> [UsageRow] {
        guard let first = try self.database.integer("SELECT MIN(day) FROM usage HAVING COUNT(*) > 0"),
            let last = try self.database.integer("SELECT MAX(day) FROM usage")
        else {
            return []
        }
        let statement = try self.database.prepare(UsageQuestion.sql(by: grouping, ofOneClient: filter.client != nil))
        return try statement.all {
            $0.bind(max(first, filter.firstDay), at: 1)
            $0.bind(min(last, filter.lastDay), at: 2)
            if grouping == .day {
                $0.bind(group.flatMap { Int64($0) }, at: 3)
            } else {
                $0.bind(group, at: 3)
            }
            $0.bind(limit, at: 4)
            $0.bind(filter.user, at: 5)
            if let client = filter.client { $0.bind(client, at: 6) }
        } reading: {
            var counts = UsageCounts()
            counts.calls = Int($0.integer(at: 1))
            counts.billed = Int($0.integer(at: 2))
            counts.replayed = Int($0.integer(at: 3))
            counts.failed = Int($0.integer(at: 4))
            counts.unknown = Int($0.integer(at: 5))
            counts.audioMilliseconds = $0.integer(at: 6)
            return UsageRow(group: $0.text(at: 0), counts: counts)
        }
    }
}

/// How usage is asked for: day by day, since a day is what the key begins with; so one client's usage does not cost
/// walking through all others'.
package enum UsageQuestion {
    package static func sql(by grouping: UsageGrouping, ofOneClient: Bool) -> String {
        let column = "u.\(grouping.rawValue)"
        return """
            WITH RECURSIVE days(day) AS (SELECT ?1 WHERE ?1 <= ?2 UNION ALL SELECT day + 1 FROM days WHERE day < ?2)
            SELECT \(column), SUM(u.calls), SUM(u.billed), SUM(u.replayed), SUM(u.failed), SUM(u.unknown), SUM(u.audio_ms)
            FROM days CROSS JOIN usage u ON u.day = days.day\(ofOneClient ? " AND u.client = ?6" : "")
            WHERE (?3 IS NULL OR \(column) > ?3) AND (?5 IS NULL OR u.user = ?5)
            GROUP BY \(column) ORDER BY \(column) LIMIT ?4
            """
    }
}
