/// The writer's statements about quotas.
struct QuotaStatements {
    let use: Statement
    let reserve: Statement
    let reserved: Statement
    let giveBackUsage: Statement
    let settleUsage: Statement
    let end: Statement
    let move: Statement
    let deleteOldDays: Statement

    init(_ database: Database) throws(StoreError) {
        self.use = try database.prepare(
            """
            INSERT INTO day_usage (owner, day, calls, audio_ms) VALUES (?1, ?2, 1, ?3)
            ON CONFLICT (owner, day) DO UPDATE SET calls = calls + 1, audio_ms = audio_ms + ?3
            """
        )
        self.reserve = try database.prepare(
            "INSERT INTO reservations (claim, owner, day, audio_ms) VALUES (?1, ?2, ?3, ?4)"
        )
        self.reserved = try database.prepare("SELECT owner, day, audio_ms FROM reservations WHERE claim = ?1")
        self.giveBackUsage = try database.prepare(
            """
            UPDATE day_usage SET calls = calls - 1, audio_ms = day_usage.audio_ms - r.audio_ms FROM reservations r
            WHERE r.claim = ?1 AND r.owner = day_usage.owner AND r.day = day_usage.day
            """
        )
        self.settleUsage = try database.prepare(
            """
            UPDATE day_usage SET audio_ms = day_usage.audio_ms + ?2 - r.audio_ms FROM reservations r
            WHERE r.claim = ?1 AND r.owner = day_usage.owner AND r.day = day_usage.day
            """
        )
        self.end = try database.prepare("DELETE FROM reservations WHERE claim = ?1")
        self.move = try database.prepare("UPDATE keys SET app_key = ?2 WHERE id = ?1")
        self.deleteOldDays = try database.prepare(
            """
            DELETE FROM day_usage WHERE (owner, day) IN (
                SELECT owner, day FROM day_usage WHERE day < ?1 ORDER BY day LIMIT ?2
            )
            """
        )
    }
}
