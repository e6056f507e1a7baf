/// Brings a database to the schema of this program.
struct Migrator {
    /// Marks the file as ours: "SpGt".
    static let applicationID: Int64 = 0x5370_4774

    let migrations: [Migration]

    /// Applies what is missing, each step in its own transaction.
    ///
    /// - Throws: `.newerSchema` when the database knows a step that this program does not; `.corrupt` when the file is
    ///   somebody else's database.
    func migrate(_ database: Database, path: String) throws(StoreError) {
        let applicationID = try database.integer("PRAGMA application_id") ?? 0
        let tables = try database.integer("SELECT COUNT(*) FROM sqlite_schema") ?? 0
        guard applicationID == Self.applicationID || (applicationID == 0 && tables == 0) else {
            throw StoreError(
                code: .corrupt,
                message: "\(path) is not a speechgate database; set another stateDirectory"
            )
        }
        if tables == 0 {
            try database.execute(
                """
                BEGIN IMMEDIATE;
                PRAGMA application_id = \(Self.applicationID);
                CREATE TABLE migrations (position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
                COMMIT;
                """
            )
        }
        let applied = try database.prepare("SELECT name FROM migrations ORDER BY position").all { $0.text(at: 0) }
        let known = Set(self.migrations.map(\.name))
        if let stranger = applied.first(where: { !known.contains($0) }) {
            throw StoreError(
                code: .newerSchema,
                message: """
                    \(path) was written by a newer speechgate (it knows the step "\(stranger)"); \
                    run that version or set another stateDirectory
                    """
            )
        }
        let done = Set(applied)
        let note = try database.prepare("INSERT INTO migrations (name) VALUES (?1)")
        for migration in self.migrations where !done.contains(migration.name) {
            try database.execute("BEGIN IMMEDIATE")
            do throws(StoreError) {
                try database.execute(migration.sql)
                try note.run { $0.bind(migration.name, at: 1) }
                try database.execute("COMMIT")
            } catch {
                if database.isInTransaction {
                    try? database.execute("ROLLBACK")
                }
                throw error
            }
        }
    }
}
