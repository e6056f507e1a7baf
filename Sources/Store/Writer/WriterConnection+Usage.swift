/// The writer's statements for usage.
struct UsageStatements {
    let add: Statement
    let makeAnonymous: Statement
    let deleteUser: Statement
    let deleteDays: Statement

    private static let sums = """
        calls = calls + excluded.calls, billed = billed + excluded.billed, replayed = replayed + excluded.replayed,
        failed = failed + excluded.failed, unknown = unknown + excluded.unknown, audio_ms = audio_ms + excluded.audio_ms
        """
    private static let days = """
        WITH RECURSIVE days(day) AS (
            SELECT MIN(day) FROM usage UNION ALL SELECT day + 1 FROM days WHERE day < (SELECT MAX(day) FROM usage)
        )
        """

    init(_ database: Database) throws(StoreError) {
        self.add = try database.prepare(
            """
            INSERT INTO usage (day, client, user, operation, calls, billed, replayed, failed, unknown, audio_ms)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            ON CONFLICT (day, client, user, operation) DO UPDATE SET \(Self.sums)
            """
        )
        // Day by day, because a day is what the key begins with.
        self.makeAnonymous = try database.prepare(
            """
            \(Self.days)
            INSERT INTO usage (day, client, user, operation, calls, billed, replayed, failed, unknown, audio_ms)
            SELECT u.day, u.client, '', u.operation, u.calls, u.billed, u.replayed, u.failed, u.unknown, u.audio_ms
            FROM days CROSS JOIN usage u ON u.day = days.day AND u.client = ?1 AND u.user = ?2 WHERE true
            ON CONFLICT (day, client, user, operation) DO UPDATE SET \(Self.sums)
            """
        )
        self.deleteUser = try database.prepare(
            "\(Self.days) DELETE FROM usage WHERE day IN (SELECT day FROM days) AND client = ?1 AND user = ?2"
        )
        self.deleteDays = try database.prepare(
            """
            DELETE FROM usage WHERE (day, client, user, operation) IN (
                SELECT day, client, user, operation FROM usage WHERE day < ?1 ORDER BY day LIMIT ?2
            )
            """
        )
    }
}

extension WriterConnection {
    /// Counts; written with the transaction's end, one row each however many writes counted.
    func count(_ counts: UsageCounts, for key: UsageKey) {
        self.pendingUsage[key, default: UsageCounts()] += counts
    }

    /// Counts a call that the platform answered.
    ///
    /// - Parameter user: Nil where the call's own user was erased.
    func countBilled(_ new: NewAnswer, user: String?) {
        var counts = UsageCounts()
        counts.billed = 1
        counts.audioMilliseconds = new.usedAudioMilliseconds
        let key = UsageKey(
            at: new.answeredAt,
            client: new.claim.client,
            user: user,
            operation: new.claim.operation
        )
        self.count(counts, for: key)
    }

    /// Writes what the transaction counted.
    func writeUsage() throws(StoreError) {
        for (key, counts) in self.pendingUsage {
            try self.usage.add.run {
                $0.bind(key.day, at: 1)
                $0.bind(key.client, at: 2)
                $0.bind(key.user ?? "", at: 3)
                $0.bind(key.operation, at: 4)
                $0.bind(counts.calls, at: 5)
                $0.bind(counts.billed, at: 6)
                $0.bind(counts.replayed, at: 7)
                $0.bind(counts.failed, at: 8)
                $0.bind(counts.unknown, at: 9)
                $0.bind(counts.audioMilliseconds, at: 10)
            }
        }
        self.pendingUsage.removeAll(keepingCapacity: true)
    }

    /// Keeps what a user used without saying whose it was.
    ///
    /// - Returns: Whether there was any.
    func makeUsageAnonymous(client: String, user: String) throws(StoreError) -> Bool {
        try self.writeUsage()
        for statement in [self.usage.makeAnonymous, self.usage.deleteUser] {
            try statement.run {
                $0.bind(client, at: 1)
                $0.bind(user, at: 2)
            }
        }
        return self.database.changes > 0
    }

    /// Forgets usage of days long past.
    ///
    /// - Returns: How many rows went.
    func expireUsage(before day: Int64, limit: Int) throws(StoreError) -> Int {
        try self.usage.deleteDays.run {
            $0.bind(day, at: 1)
            $0.bind(limit, at: 2)
        }
        return self.database.changes
    }
}
