/// Pages of records, newest first.
///
/// A page starts behind a position and not at a number: it costs the same wherever it stands, and what is added or
/// deleted meanwhile neither repeats a record nor skips one.
package final class RecordPages {
    private static let columns = "id, record_id, user, operation, core_type, overall, created_ms, key"
    private static let order =
        "\(ErasedRows.areNot("records")) AND (created_ms, id) < (?3, ?4) ORDER BY created_ms DESC, id DESC LIMIT ?5"
    /// Any of a client's records.
    package static let ofClient =
        "SELECT \(columns) FROM records WHERE client = ?1 AND created_ms >= ?2 AND \(order)"
    /// The records of one of its users.
    package static let ofUser =
        "SELECT \(columns) FROM records WHERE client = ?1 AND user = ?6 AND created_ms >= ?2 AND \(order)"

    private let clientPage: Statement
    private let userPage: Statement

    init(_ database: Database) throws(StoreError) {
        self.clientPage = try database.prepare(Self.ofClient)
        self.userPage = try database.prepare(Self.ofUser)
    }

    func page(
        _ filter: RecordFilter,
        behind position: RecordPosition?,
        limit: Int
    ) throws(StoreError) -> [RecordSummary] {
        // Behind no record at all: everything before the end of the time.
        let position = position ?? RecordPosition(createdAt: filter.to, id: .min)
        return try (filter.user == nil ? self.clientPage : self.userPage).all {
            $0.bind(filter.client, at: 1)
            $0.bind(filter.from, at: 2)
            $0.bind(position.createdAt, at: 3)
            $0.bind(position.id, at: 4)
            $0.bind(limit, at: 5)
            if let user = filter.user { $0.bind(user, at: 6) }
        } reading: {
            RecordSummary(
                position: RecordPosition(createdAt: $0.integer(at: 6), id: $0.integer(at: 0)),
                recordID: $0.text(at: 1),
                user: $0.optionalText(at: 2),
                operation: $0.text(at: 3),
                coreType: $0.optionalText(at: 4),
                overall: $0.optionalDouble(at: 5),
                key: $0.text(at: 7)
            )
        }
    }
}
