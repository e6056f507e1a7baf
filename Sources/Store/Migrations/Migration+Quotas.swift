extension Migration {
    /// What the days of quotas have used, and what open calls have reserved of them.
    ///
    /// Rows come with quotas: a call without one touches neither table. `day_usage` counts reservations as used;
    /// `reservations` says what goes back when a call is proved not to have been executed.
    static let quotas = Migration(
        name: "2026-11 quotas",
        sql: """
            CREATE TABLE day_usage (
                owner TEXT NOT NULL,
                day INTEGER NOT NULL,
                calls INTEGER NOT NULL,
                audio_ms INTEGER NOT NULL,
                PRIMARY KEY (owner, day)
            ) WITHOUT ROWID;
            CREATE INDEX day_usage_by_day ON day_usage (day);

            CREATE TABLE reservations (
                claim INTEGER NOT NULL,
                owner TEXT NOT NULL,
                day INTEGER NOT NULL,
                audio_ms INTEGER NOT NULL,
                PRIMARY KEY (claim, owner)
            ) WITHOUT ROWID;
            """
    )
}
