/// The writer's statements, prepared once.
struct Statements {
    let begin: Statement
    let commit: Statement
    let rollback: Statement
    let savepoint: Statement
    let releaseSavepoint: Statement
    let rollbackToSavepoint: Statement
    let writeState: Statement
    let probe: Statement
    let endProbe: Statement

    let insertKey: Statement
    let insertClaim: Statement
    let findClaim: Statement
    let reclaim: Statement
    let endClaim: Statement
    let releaseClaim: Statement
    let claimState: Statement
    let setUnresolved: Statement
    let settleBilled: Statement
    let deleteClaim: Statement
    let deleteKey: Statement
    let insertAnswer: Statement
    let insertRecord: Statement
    let keepReport: Statement

    let oldKeys: Statement
    let oldRecords: Statement
    let deleteOrphanedByKey: Statement
    let deleteOrphanedByRecord: Statement
    let deleteRecord: Statement
    let freePages: Statement
    let pages: Statement
    let vacuum: Statement

    let insertClient: Statement
    let findClient: Statement
    let revokeClient: Statement
    let rotateClient: Statement

    let useToken: Statement
    let giveTokenCallBack: Statement
    let deleteTokenRevocation: Statement
    let deleteTokenRevocations: Statement
    let insertTokenRevocation: Statement
    let deleteOldTokenCalls: Statement
    let deleteOldTokenRevocations: Statement

    let insertNonce: Statement
    let deleteOldNonces: Statement

    init(_ database: Database) throws(StoreError) {
        self.begin = try database.prepare("BEGIN IMMEDIATE")
        self.commit = try database.prepare("COMMIT")
        self.rollback = try database.prepare("ROLLBACK")
        self.savepoint = try database.prepare("SAVEPOINT item")
        self.releaseSavepoint = try database.prepare("RELEASE item")
        self.rollbackToSavepoint = try database.prepare("ROLLBACK TO item")
        self.writeState = try database.prepare("UPDATE state SET next_id = ?1, answered = ?2 WHERE id = 1")
        // Random bytes, which no file system makes smaller.
        self.probe = try database.prepare("INSERT OR REPLACE INTO probes (id, body) VALUES (1, randomblob(?1))")
        self.endProbe = try database.prepare("DELETE FROM probes")

        self.insertKey = try database.prepare(
            """
            INSERT INTO keys (id, scope, client, user, key, operation, fingerprint, app_key, upstream_key, first_sent_ms)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            ON CONFLICT (scope) DO NOTHING
            """
        )
        self.insertClaim = try database.prepare(
            "INSERT INTO claims (id, flight_process, flight_serial, token) VALUES (?1, ?2, ?3, ?4)"
        )
        self.findClaim = try database.prepare(
            """
            SELECT k.id, k.first_sent_ms, k.app_key, k.upstream_key, c.unresolved, c.settled_billed
            FROM keys k LEFT JOIN claims c ON c.id = k.id WHERE k.scope = ?1
            """
        )
        self.reclaim = try database.prepare(
            "UPDATE claims SET flight_process = ?2, flight_serial = ?3 WHERE id = ?1"
        )
        self.endClaim = try database.prepare(
            """
            DELETE FROM claims WHERE id = ?1 AND flight_process = ?2 AND flight_serial = ?3
            RETURNING unresolved, settled_billed
            """
        )
        self.releaseClaim = try database.prepare(
            """
            DELETE FROM claims
            WHERE id = ?1 AND flight_process = ?2 AND flight_serial = ?3 AND unresolved = 0 AND settled_billed = 0
            RETURNING token
            """
        )
        self.claimState = try database.prepare(
            """
            SELECT unresolved, settled_billed FROM claims
            WHERE id = ?1 AND flight_process = ?2 AND flight_serial = ?3
            """
        )
        self.setUnresolved = try database.prepare("UPDATE claims SET unresolved = 1 WHERE id = ?1")
        self.settleBilled = try database.prepare("UPDATE claims SET settled_billed = 1 WHERE id = ?1")
        self.deleteClaim = try database.prepare("DELETE FROM claims WHERE id = ?1 RETURNING token")
        self.deleteKey = try database.prepare("DELETE FROM keys WHERE id = ?1")
        self.insertAnswer = try database.prepare(
            """
            INSERT INTO answers
                (id, fingerprint, status, platform_code, content_type, record_id, answered_ms, is_compressed, body)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """
        )
        self.insertRecord = try database.prepare(
            """
            INSERT INTO records
                (id, record_id, client, user, operation, core_type, overall, key, app_key, upstream_key, created_ms)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            """
        )

        self.keepReport = try database.prepare(
            """
            INSERT INTO reports (id, fetched_ms, is_complete, content_type, is_compressed, body)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE EXISTS (SELECT 1 FROM records WHERE id = ?1)
            ON CONFLICT (id) DO UPDATE SET
                fetched_ms = excluded.fetched_ms, is_complete = excluded.is_complete,
                content_type = excluded.content_type, is_compressed = excluded.is_compressed, body = excluded.body
            WHERE is_complete = 0
            """
        )

        self.oldKeys = try database.prepare(
            """
            SELECT k.id, k.scope, k.first_sent_ms, a.answered_ms, c.unresolved, c.settled_billed
            FROM keys k LEFT JOIN answers a ON a.id = k.id LEFT JOIN claims c ON c.id = k.id
            WHERE (k.first_sent_ms, k.id) > (?1, ?2) AND k.first_sent_ms < ?3
            ORDER BY k.first_sent_ms, k.id LIMIT ?4
            """
        )
        self.oldRecords = try database.prepare(
            "SELECT id, record_id FROM records WHERE created_ms < ?1 ORDER BY created_ms LIMIT ?2"
        )
        self.deleteOrphanedByKey = try database.prepare(
            "DELETE FROM answers WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM records WHERE id = ?1)"
        )
        self.deleteOrphanedByRecord = try database.prepare(
            "DELETE FROM answers WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM keys WHERE id = ?1)"
        )
        self.deleteRecord = try database.prepare("DELETE FROM records WHERE id = ?1")
        self.freePages = try database.prepare("PRAGMA freelist_count")
        self.pages = try database.prepare("PRAGMA page_count")
        self.vacuum = try database.prepare("PRAGMA incremental_vacuum(128)")

        self.insertClient = try database.prepare(
            """
            INSERT INTO clients (name, label, key_hash, app_key, scopes, core_types, addresses, expires_ms, created_ms)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """
        )
        self.findClient = try database.prepare(
            "SELECT name FROM clients WHERE name = ?1 OR key_hash = ?2 OR previous_key_hash = ?2 OR app_key = ?3"
        )
        self.revokeClient = try database.prepare(
            "UPDATE clients SET revoked_ms = ?2, version = version + 1 WHERE name = ?1 AND revoked_ms IS NULL"
        )
        self.rotateClient = try database.prepare(
            """
            UPDATE clients
            SET previous_key_hash = key_hash, previous_until_ms = ?3, key_hash = ?2, version = version + 1
            WHERE name = ?1 AND revoked_ms IS NULL RETURNING app_key, version
            """
        )

        self.useToken = try database.prepare(
            """
            INSERT INTO token_calls (token, used, expires_ms) VALUES (?1, 1, ?3)
            ON CONFLICT (token) DO UPDATE SET used = used + 1 WHERE used < ?2
            """
        )
        self.giveTokenCallBack = try database.prepare("UPDATE token_calls SET used = used - 1 WHERE token = ?1")
        self.deleteTokenRevocation = try database.prepare(
            "DELETE FROM token_revocations WHERE client = ?1 AND user IS ?2 AND token IS ?3"
        )
        self.deleteTokenRevocations = try database.prepare(
            "DELETE FROM token_revocations WHERE client = ?1 AND revoked_ms <= ?2"
        )
        self.insertTokenRevocation = try database.prepare(
            """
            INSERT INTO token_revocations (client, user, token, revoked_ms, expires_ms) VALUES (?1, ?2, ?3, ?4, ?5)
            """
        )
        self.deleteOldTokenCalls = try database.prepare(
            """
            DELETE FROM token_calls
            WHERE token IN (SELECT token FROM token_calls WHERE expires_ms < ?1 ORDER BY expires_ms LIMIT ?2)
            """
        )
        self.deleteOldTokenRevocations = try database.prepare(
            """
            DELETE FROM token_revocations
            WHERE id IN (SELECT id FROM token_revocations WHERE expires_ms < ?1 ORDER BY expires_ms LIMIT ?2)
            """
        )
        self.insertNonce = try database.prepare(
            "INSERT OR IGNORE INTO handshake_nonces (client, nonce, expires_ms) VALUES (?1, ?2, ?3)"
        )
        self.deleteOldNonces = try database.prepare(
            """
            DELETE FROM handshake_nonces WHERE (client, nonce) IN
                (SELECT client, nonce FROM handshake_nonces WHERE expires_ms < ?1 ORDER BY expires_ms LIMIT ?2)
            """
        )
    }
}
