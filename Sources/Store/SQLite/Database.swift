private import CSQLite

/// One SQLite connection.
///
/// Not `Sendable`: it belongs to the queue or the lock of whoever opened it.
final class Database {
    enum Access {
        case readWrite
        case readOnly
    }

    let handle: OpaquePointer
    /// How many pages the write-ahead log held after the last commit.
    private let logPages: UnsafeMutablePointer<Int32>

    init(path: String, access: Access) throws(StoreError) {
        let flags =
            switch access {
            // The file is created beforehand, with its mode.
            case .readWrite: SQLITE_OPEN_READWRITE
            case .readOnly: SQLITE_OPEN_READONLY
            }
        var handle: OpaquePointer?
        // No mutex: a connection has one user at a time.
        let result = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard result == SQLITE_OK, let handle else {
            let error = StoreError(sqlite: result, text: String(cString: sqlite3_errstr(result)), doing: "open \(path)")
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
        self.logPages = .allocate(capacity: 1)
        self.logPages.initialize(to: 0)
        if access == .readOnly {
            _ = csqlite_disable_checkpoint_on_close(handle)
        } else {
            // Replaces the automatic checkpoint, which is such a hook itself.
            sqlite3_wal_hook(
                handle,
                { context, _, _, pages in
                    context?.assumingMemoryBound(to: Int32.self).pointee = pages
                    return SQLITE_OK
                },
                self.logPages
            )
        }
    }

    deinit {
        // Statements keep their database, so none is left here.
        sqlite3_close_v2(self.handle)
        self.logPages.deallocate()
    }

    /// Runs statements without parameters, dropping any rows.
    func execute(_ sql: String) throws(StoreError) {
        let result = sqlite3_exec(self.handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else {
            throw self.error(result, doing: "run a statement")
        }
    }

    func prepare(_ sql: String) throws(StoreError) -> Statement {
        var statement: OpaquePointer?
        let result = sqlite3_prepare_v3(self.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard result == SQLITE_OK, let statement else {
            throw self.error(result, doing: "prepare a statement")
        }
        return Statement(database: self, handle: statement)
    }

    /// The first column of the first row, as an integer.
    func integer(_ sql: String) throws(StoreError) -> Int64? {
        try self.prepare(sql).first { $0.integer(at: 0) }
    }

    /// How SQLite would go about a statement, step by step.
    func plan(of sql: String) throws(StoreError) -> [String] {
        try self.prepare("EXPLAIN QUERY PLAN " + sql).all { $0.text(at: 3) }
    }

    /// How SQLite goes about each of the statements that are prepared and kept.
    func plans() throws(StoreError) -> [(sql: String, steps: [String])] {
        var texts: [String] = []
        var statement = sqlite3_next_stmt(self.handle, nil)
        while let current = statement {
            if let sql = sqlite3_sql(current) { texts.append(String(cString: sql)) }
            statement = sqlite3_next_stmt(self.handle, current)
        }
        // Transactions and pragmas have no plan.
        let planned = ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"]
        var plans: [(sql: String, steps: [String])] = []
        for sql in texts where planned.contains(where: { sql.hasPrefix($0) }) {
            plans.append((sql, try self.plan(of: sql)))
        }
        return plans
    }

    /// SQLite's check of all pages, tables and indices; empty when nothing is wrong.
    func integrityFaults() throws(StoreError) -> [String] {
        let lines = try self.prepare("PRAGMA integrity_check(20)").all { $0.text(at: 0) }
        return lines == ["ok"] ? [] : lines
    }

    /// The version of the library.
    static var sqliteVersion: String { String(cString: sqlite3_libversion()) }

    /// SQLite may have rolled back on its own, after a full disk for instance.
    var isInTransaction: Bool {
        sqlite3_get_autocommit(self.handle) == 0
    }

    /// How many rows the last statement changed.
    var changes: Int {
        Int(sqlite3_changes(self.handle))
    }

    /// How many pages the write-ahead log held after the last commit, including those already copied.
    var walPages: Int {
        Int(self.logPages.pointee)
    }

    enum Checkpoint {
        /// As far as possible without waiting for anyone.
        case passive
        /// Everything, then the log is empty.
        case truncate
    }

    /// Copies the write-ahead log into the database.
    ///
    /// - Returns: False when a reader that still looks at an older state kept it from finishing.
    func checkpoint(_ mode: Checkpoint) throws(StoreError) -> Bool {
        var logged: Int32 = 0
        var copied: Int32 = 0
        let mode =
            switch mode {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        let result = sqlite3_wal_checkpoint_v2(self.handle, nil, mode, &logged, &copied)
        guard result & 0xFF != SQLITE_BUSY else {
            return false
        }
        guard result == SQLITE_OK else {
            throw self.error(result, doing: "checkpoint")
        }
        return copied == logged
    }

    func error(_ result: Int32, doing: String) -> StoreError {
        StoreError(sqlite: result, text: String(cString: sqlite3_errmsg(self.handle)), doing: doing)
    }
}

extension StoreError {
    /// Whether SQLite found no room.
    var isFullDisk: Bool {
        (self.sqliteCode ?? 0) & 0xFF == SQLITE_FULL
    }

    /// SQLite's refusal; its text names tables and columns, never values.
    init(sqlite result: Int32, text: String, doing: String) {
        let failure: (code: Code, advice: String) =
            switch result & 0xFF {
            case SQLITE_FULL: (.unavailable, "; free space for the state directory")
            case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
                (.unavailable, "; the state directory must be writable")
            case SQLITE_IOERR: (.unavailable, "; check the file system of the state directory")
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
                (.unavailable, "; another program has the database open")
            case SQLITE_NOMEM, SQLITE_NOLFS, SQLITE_INTERRUPT, SQLITE_ABORT, SQLITE_SCHEMA: (.unavailable, "")
            case SQLITE_CORRUPT, SQLITE_NOTADB: (.corrupt, "; restore a backup of the state directory")
            default: (.invalid, "")
            }
        self.init(
            code: failure.code,
            message: "the store cannot \(doing): \(text) (SQLite \(result))\(failure.advice)",
            sqliteCode: result
        )
    }
}
