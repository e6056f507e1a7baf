/// What the reading statements say about erasures that are not finished: rows of theirs are not there any more.
enum ErasedRows {
    /// Whether a key was erased, or is being erased.
    static let keySQL = """
        SELECT 1 FROM erased_keys WHERE scope = ?1
        UNION ALL
        SELECT 1 FROM keys k JOIN erasures e ON e.client = k.client AND e.user = k.user AND e.end_id > k.id
        WHERE k.scope = ?1
        LIMIT 1
        """

    /// A condition on the rows of a table that has an id, a client and a user.
    ///
    /// - Parameter table: Its name in the statement.
    static func areNot(_ table: String) -> String {
        """
        NOT EXISTS (
            SELECT 1 FROM erasures e
            WHERE e.client = \(table).client AND e.user = \(table).user AND e.end_id > \(table).id
        )
        """
    }
}
