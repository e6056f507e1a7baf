public import Store

extension ListPage {
    /// A page of records.
    ///
    /// - Parameter nextCursor: Where the list goes on; nil at its end.
    public static func records(_ records: [RecordSummary], nextCursor: String? = nil) -> ListPage {
        ListPage(
            name: "records",
            columns: ["recordId", "userId", "operation", "coreType", "overall", "createdAt", "key"],
            rows: records.map { record in
                [
                    .text(record.recordID), .text(record.user), .text(record.operation), .text(record.coreType),
                    .number(record.overall), .text(Timestamp.text(unixMilliseconds: record.position.createdAt)),
                    .text(record.key),
                ]
            },
            nextCursor: nextCursor
        )
    }
}
