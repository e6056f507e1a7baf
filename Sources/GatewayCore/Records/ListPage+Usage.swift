public import Store

extension ListPage {
    /// A page of usage.
    ///
    /// - Parameter nextCursor: Where the list goes on; nil at its end.
    public static func usage(
        _ rows: [UsageRow],
        by grouping: UsageGrouping,
        nextCursor: String? = nil
    ) -> ListPage {
        ListPage(
            name: "usage",
            columns: [grouping.rawValue, "calls", "billed", "replayed", "failed", "unknown", "audioSeconds"],
            rows: rows.map { row in
                let counts = row.counts
                return [
                    .text(Self.name(row, by: grouping)), .count(counts.calls), .count(counts.billed),
                    .count(counts.replayed), .count(counts.failed), .count(counts.unknown),
                    .number(Double(counts.audioMilliseconds) / 1000),
                ]
            },
            nextCursor: nextCursor
        )
    }

    /// Nil for calls without a user.
    private static func name(_ row: UsageRow, by grouping: UsageGrouping) -> String? {
        guard grouping == .day else { return row.group.isEmpty ? nil : row.group }
        return Int64(row.group).map { String(Timestamp.text(unixMilliseconds: $0 * 86_400_000).prefix(10)) }
    }
}
