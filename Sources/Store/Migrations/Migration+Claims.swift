extension Migration {
    /// Keys, claims, answers, records, reports, clients.
    ///
    /// One call has one id in all four of its tables. A key row is written once and never changed; what changes while
    /// a call is open stands in `claims`, a table as small as the number of open calls; an answer is appended. So no
    /// wide row is ever updated, and "answered" is the existence of an answer row.
    static let claims = Migration(
        name: "2026-11 claims",
        sql: """
            CREATE TABLE keys (
                id INTEGER PRIMARY KEY,
                scope BLOB NOT NULL UNIQUE CHECK (length(scope) = 16),
                client TEXT NOT NULL,
                user TEXT,
                key TEXT NOT NULL,
                operation TEXT NOT NULL,
                fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
                app_key TEXT NOT NULL,
                upstream_key TEXT NOT NULL,
                first_sent_ms INTEGER NOT NULL
            );
            CREATE INDEX keys_by_time ON keys (first_sent_ms);
            CREATE INDEX keys_by_user ON keys (client, user) WHERE user IS NOT NULL;

            CREATE TABLE claims (
                id INTEGER PRIMARY KEY,
                flight_process INTEGER NOT NULL,
                flight_serial INTEGER NOT NULL,
                unresolved INTEGER NOT NULL DEFAULT 0,
                settled_billed INTEGER NOT NULL DEFAULT 0,
                token TEXT
            );

            CREATE TABLE answers (
                id INTEGER PRIMARY KEY,
                fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
                status INTEGER NOT NULL,
                platform_code INTEGER,
                content_type TEXT NOT NULL,
                record_id TEXT,
                answered_ms INTEGER NOT NULL,
                is_compressed INTEGER NOT NULL,
                body BLOB NOT NULL
            );

            CREATE TABLE records (
                id INTEGER PRIMARY KEY,
                record_id TEXT NOT NULL,
                client TEXT NOT NULL,
                user TEXT,
                operation TEXT NOT NULL,
                core_type TEXT,
                overall REAL,
                key TEXT NOT NULL,
                app_key TEXT NOT NULL,
                upstream_key TEXT NOT NULL,
                created_ms INTEGER NOT NULL
            );
            CREATE INDEX records_by_record_id ON records (record_id);
            CREATE INDEX records_by_time ON records (created_ms);
            CREATE INDEX records_by_client ON records (client, created_ms);
            CREATE INDEX records_by_user ON records (client, user, created_ms) WHERE user IS NOT NULL;

            CREATE TABLE reports (
                id INTEGER PRIMARY KEY,
                fetched_ms INTEGER NOT NULL,
                is_complete INTEGER NOT NULL,
                content_type TEXT NOT NULL,
                is_compressed INTEGER NOT NULL,
                body BLOB NOT NULL
            );
            -- Whoever deletes a record deletes its report, in the same commit.
            CREATE TRIGGER reports_go_with_records AFTER DELETE ON records
            BEGIN DELETE FROM reports WHERE id = OLD.id; END;

            CREATE TABLE clients (
                id INTEGER PRIMARY KEY,
                name TEXT NOT NULL UNIQUE,
                label TEXT,
                key_hash BLOB NOT NULL UNIQUE CHECK (length(key_hash) = 32),
                previous_key_hash BLOB CHECK (length(previous_key_hash) = 32),
                previous_until_ms INTEGER,
                app_key TEXT UNIQUE,
                version INTEGER NOT NULL DEFAULT 1,
                scopes TEXT NOT NULL,
                core_types TEXT NOT NULL,
                addresses TEXT NOT NULL,
                expires_ms INTEGER,
                created_ms INTEGER NOT NULL,
                revoked_ms INTEGER
            );

            CREATE TABLE token_calls (
                token TEXT PRIMARY KEY,
                used INTEGER NOT NULL,
                expires_ms INTEGER NOT NULL
            ) WITHOUT ROWID;
            CREATE INDEX token_calls_by_time ON token_calls (expires_ms);

            CREATE TABLE token_revocations (
                id INTEGER PRIMARY KEY,
                client TEXT NOT NULL,
                user TEXT,
                token TEXT,
                revoked_ms INTEGER NOT NULL,
                expires_ms INTEGER NOT NULL
            );
            CREATE INDEX token_revocations_by_client ON token_revocations (client, user, token);
            CREATE INDEX token_revocations_by_time ON token_revocations (expires_ms);

            CREATE TABLE handshake_nonces (
                client TEXT NOT NULL,
                nonce TEXT NOT NULL,
                expires_ms INTEGER NOT NULL,
                PRIMARY KEY (client, nonce)
            ) WITHOUT ROWID;
            CREATE INDEX handshake_nonces_by_time ON handshake_nonces (expires_ms);

            CREATE TABLE state (
                id INTEGER PRIMARY KEY CHECK (id = 1),
                next_id INTEGER NOT NULL,
                answered INTEGER NOT NULL,
                fingerprint_key BLOB NOT NULL CHECK (length(fingerprint_key) = 16)
            );
            INSERT INTO state (id, next_id, answered, fingerprint_key) VALUES (1, 1, 0, randomblob(16));

            -- Holds a row only while the store is probed.
            CREATE TABLE probes (
                id INTEGER PRIMARY KEY CHECK (id = 1),
                body BLOB NOT NULL
            );
            """
    )
}
