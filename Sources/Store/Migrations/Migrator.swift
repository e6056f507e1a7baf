/// Brings a database to the schema of this program.
struct Migrator {
    /// Marks the file as ours: "SpGt".
    private static let applicationID: Int64 = 0x5370_4774

    private let migrations: [Migration]
    private let database: Database
    /// The names of the steps that the database has seen.
    private let applied: Set<String>
    /// Whether the database has no content at all yet.
    let isNew: Bool

    /// Looks at the database, and changes nothing.
    ///
    /// - Throws: `.newerSchema` when the database knows a step that this program does not; `.corrupt` when the file is
    ///   somebody else's database.
    init(_ migrations: [Migration], database: Database, path: String) throws(StoreError) {
        self.migrations = migrations
        self.database = database
        let applicationID = try database.integer("PRAGMA application_id") ?? 0
        let tables = try database.integer("SELECT COUNT(*) FROM sqlite_schema") ?? 0
        self.isNew = applicationID == 0 && tables == 0
        guard !self.isNew else {
            self.applied = []
            return
        }
        guard applicationID == Self.applicationID else {
            throw StoreError(
                code: .corrupt,
                message: "\(path) is not a speechgate database; set another stateDirectory"
            )
        }
        let applied = try database.prepare("SELECT name FROM migrations ORDER BY position").all { $0.text(at: 0) }
        let known = Set(migrations.map(\.name))
        if let stranger = applied.first(where: { !known.contains($0) }) {
            throw StoreError(
                code: .newerSchema,
                message: """
                    \(path) was written by a newer speechgate (it knows the step "\(stranger)"); \
                    run that version or set another stateDirectory
                    """
            )
        }
        self.applied = Set(applied)
    }

    /// Applies what is missing, each step in its own transaction.
    func migrate() throws(StoreError) {
        if self.isNew {
            try self.transaction { (database) throws(StoreError) in
                try database.execute("PRAGMA application_id = \(Self.applicationID)")
                try database.execute(
                    "CREATE TABLE migrations (position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)"
                )
            }
        }
        let note = try self.database.prepare("INSERT INTO migrations (name) VALUES (?1)")
        for migration in self.migrations where !self.applied.contains(migration.name) {
            try self.transaction { (database) throws(StoreError) in
                try database.execute(migration.sql)
                try note.run { $0.bind(migration.name, at: 1) }
            }
        }
    }

    private func transaction(_ body: (Database) throws(StoreError) -> Void) throws(StoreError) {
        try self.database.execute("BEGIN IMMEDIATE")
        do throws(StoreError) {
            try body(self.database)
            try self.database.execute("COMMIT")
        } catch {
            if self.database.isInTransaction {
                try? self.database.execute("ROLLBACK")
            }
            throw error
        }
    }
}
