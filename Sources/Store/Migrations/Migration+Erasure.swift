extension Migration {
    /// What was erased and what is being erased, and by whom: hashes, counts and times, never content.
    static let erasure = Migration(
        name: "2026-11 erasure",
        sql: """
            CREATE TABLE erased_keys (
                scope BLOB PRIMARY KEY CHECK (length(scope) = 16),
                until_ms INTEGER NOT NULL
            ) WITHOUT ROWID;
            CREATE INDEX erased_keys_by_time ON erased_keys (until_ms);

            CREATE TABLE erasures (
                id INTEGER PRIMARY KEY,
                client TEXT NOT NULL,
                user TEXT NOT NULL,
                end_id INTEGER NOT NULL,
                actor TEXT NOT NULL,
                had_usage INTEGER NOT NULL,
                keys INTEGER NOT NULL DEFAULT 0,
                records INTEGER NOT NULL DEFAULT 0,
                answers INTEGER NOT NULL DEFAULT 0,
                open_calls INTEGER NOT NULL DEFAULT 0
            );

            -- What is being erased is not read any more: every reading statement looks here.
            CREATE INDEX erasures_by_user ON erasures (client, user, end_id);

            CREATE TABLE audit (
                id INTEGER PRIMARY KEY,
                at_ms INTEGER NOT NULL,
                actor TEXT NOT NULL,
                action TEXT NOT NULL,
                client TEXT NOT NULL,
                subject BLOB NOT NULL,
                keys INTEGER NOT NULL,
                records INTEGER NOT NULL,
                answers INTEGER NOT NULL,
                open_calls INTEGER NOT NULL
            );
            CREATE INDEX audit_by_time ON audit (at_ms);
            """
    )
}
