/// The writer's statements for erasing.
struct ErasureStatements {
    let findKey: Statement
    let findRecord: Statement
    let recordsOfID: Statement
    let keysOfUser: Statement
    let recordsOfUser: Statement
    let deleteAnswer: Statement
    let insertTombstone: Statement
    let findErased: Statement
    let deleteTombstones: Statement
    let begin: Statement
    let find: Statement
    let update: Statement
    let end: Statement
    let pending: Statement
    let insertAudit: Statement
    let findAudit: Statement
    let deleteAudit: Statement

    init(_ database: Database) throws(StoreError) {
        self.findKey = try database.prepare(
            """
            SELECT k.scope, k.first_sent_ms, a.answered_ms, c.unresolved, c.settled_billed
            FROM keys k LEFT JOIN answers a ON a.id = k.id LEFT JOIN claims c ON c.id = k.id WHERE k.id = ?1
            """
        )
        self.findRecord = try database.prepare("SELECT record_id FROM records WHERE id = ?1")
        self.recordsOfID = try database.prepare(
            "SELECT id FROM records WHERE record_id = ?1 AND client = ?2 AND (?3 IS NULL OR user = ?3)"
        )
        self.keysOfUser = try database.prepare(
            "SELECT id FROM keys WHERE client = ?1 AND user = ?2 AND id < ?3 ORDER BY id LIMIT ?4"
        )
        // The oldest first: a record behind the end belongs to a call that began later.
        self.recordsOfUser = try database.prepare(
            "SELECT id FROM records WHERE client = ?1 AND user = ?2 AND id < ?3 ORDER BY created_ms LIMIT ?4"
        )
        self.deleteAnswer = try database.prepare("DELETE FROM answers WHERE id = ?1")
        self.insertTombstone = try database.prepare(
            "INSERT OR REPLACE INTO erased_keys (scope, until_ms) VALUES (?1, ?2)"
        )
        self.findErased = try database.prepare(ErasedRows.keySQL)
        self.deleteTombstones = try database.prepare(
            """
            DELETE FROM erased_keys
            WHERE scope IN (SELECT scope FROM erased_keys WHERE until_ms < ?1 ORDER BY until_ms LIMIT ?2)
            """
        )
        self.begin = try database.prepare(
            "INSERT INTO erasures (id, client, user, end_id, actor, had_usage) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
        )
        self.find = try database.prepare(
            """
            SELECT client, user, end_id, actor, had_usage, keys, records, answers, open_calls FROM erasures
            WHERE id = ?1
            """
        )
        self.update = try database.prepare(
            "UPDATE erasures SET keys = ?2, records = ?3, answers = ?4, open_calls = ?5 WHERE id = ?1"
        )
        self.end = try database.prepare("DELETE FROM erasures WHERE id = ?1")
        self.pending = try database.prepare("SELECT id FROM erasures ORDER BY id")
        self.insertAudit = try database.prepare(
            """
            INSERT INTO audit (id, at_ms, actor, action, client, subject, keys, records, answers, open_calls)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """
        )
        self.findAudit = try database.prepare("SELECT keys, records, answers, open_calls FROM audit WHERE id = ?1")
        self.deleteAudit = try database.prepare(
            "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at_ms < ?1 ORDER BY at_ms LIMIT ?2)"
        )
    }
}
