/// Brings a database to the schema of this program.
///
/// The database remembers each step by its name and the digest of its statements: a step that was changed after it had
/// been applied somewhere would leave two schemas under one name.
struct Migrator {
    /// Marks the file as ours: "SpGt".
    private static let applicationID: Int64 = 0x5370_4774

    private let database: Database
    /// The steps that the database has not seen.
    private let pending: ArraySlice<Migration>
    /// Whether the database has no content at all yet.
    let isNew: Bool

    /// Looks at the database, and changes nothing.
    ///
    /// - Throws: `.otherSchema` when the database's steps are not the first ones of this program; `.corrupt` when the
    ///   file is somebody else's database.
    init(_ migrations: [Migration], database: Database, path: String) throws(StoreError) {
        self.database = database
        let applicationID = try database.integer("PRAGMA application_id") ?? 0
        let tables = try database.integer("SELECT COUNT(*) FROM sqlite_schema") ?? 0
        self.isNew = applicationID == 0 && tables == 0
        guard !self.isNew else {
            self.pending = migrations[...]
            return
        }
        guard applicationID == Self.applicationID else {
            throw StoreError(
                code: .corrupt,
                message: "\(path) is not a speechgate database; set another stateDirectory"
            )
        }
        let digests = try database.integer("SELECT COUNT(*) FROM pragma_table_info('migrations') WHERE name = 'digest'")
        guard digests == 1 else {
            throw StoreError(
                code: .otherSchema,
                message: """
                    \(path) was written by a build of speechgate before its first version; run that build or set another \
                    stateDirectory
                    """
            )
        }
        let applied = try database.prepare("SELECT name, digest FROM migrations ORDER BY position")
            .all { (name: $0.text(at: 0), digest: $0.text(at: 1)) }
        let known = Set(migrations.map(\.name))
        if let stranger = applied.first(where: { !known.contains($0.name) }) {
            throw StoreError(
                code: .otherSchema,
                message: """
                    \(path) was written by a newer speechgate (it knows the step "\(stranger.name)"); \
                    run that version or set another stateDirectory
                    """
            )
        }
        if let (step, _) = zip(applied, migrations).first(where: { $0.name != $1.name || $0.digest != $1.digest }) {
            throw StoreError(
                code: .otherSchema,
                message: """
                    \(path) was written by another build of speechgate (its step "\(step.name)" is not the one of this \
                    program); run that build or set another stateDirectory
                    """
            )
        }
        self.pending = migrations.dropFirst(applied.count)
    }

    /// Applies what is missing, each step in its own transaction.
    func migrate() throws(StoreError) {
        if self.isNew {
            try self.transaction { (database) throws(StoreError) in
                try database.execute("PRAGMA application_id = \(Self.applicationID)")
                try database.execute(
                    """
                    CREATE TABLE migrations (
                        position INTEGER PRIMARY KEY,
                        name TEXT NOT NULL UNIQUE,
                        digest TEXT NOT NULL
                    )
                    """
                )
            }
        }
        let note = try self.database.prepare("INSERT INTO migrations (name, digest) VALUES (?1, ?2)")
        for migration in self.pending {
            try self.transaction { (database) throws(StoreError) in
                try database.execute(migration.sql)
                try note.run {
                    $0.bind(migration.name, at: 1)
                    $0.bind(migration.digest, at: 2)
                }
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
