extension Migration {
    /// What was used, by UTC day: a day's rows stand together, so they are cheap to add to and to delete.
    static let usage = Migration(
        name: "2026-11 usage",
        sql: """
            CREATE TABLE usage (
                day INTEGER NOT NULL,
                client TEXT NOT NULL,
                user TEXT NOT NULL,
                operation TEXT NOT NULL,
                calls INTEGER NOT NULL,
                billed INTEGER NOT NULL,
                replayed INTEGER NOT NULL,
                failed INTEGER NOT NULL,
                unknown INTEGER NOT NULL,
                audio_ms INTEGER NOT NULL,
                PRIMARY KEY (day, client, user, operation)
            ) WITHOUT ROWID;
            """
    )
}
