private import CSQLite

/// A copy of a database that is made in steps, while its connection goes on writing.
///
/// Not `Sendable`: it belongs to the queue of its source. What the source writes meanwhile is written to the copy too,
/// because it is the same connection; a copy made through another one would begin anew with every commit.
final class DatabaseBackup {
    private let source: Database
    private let destination: Database
    private let handle: OpaquePointer

    /// - Parameter path: An empty file.
    init(of source: Database, to path: String) throws(StoreError) {
        self.source = source
        self.destination = try Database(path: path, access: .readWrite)
        guard let handle = sqlite3_backup_init(self.destination.handle, "main", source.handle, "main") else {
            throw self.destination.error(sqlite3_errcode(self.destination.handle), doing: "begin a backup")
        }
        self.handle = handle
    }

    deinit {
        sqlite3_backup_finish(self.handle)
    }

    /// Copies the next pages.
    ///
    /// - Returns: Whether the copy is whole.
    func step(pages: Int32) throws(StoreError) -> Bool {
        let result = sqlite3_backup_step(self.handle, pages)
        switch result & 0xFF {
        case SQLITE_DONE: return true
        case SQLITE_OK, SQLITE_BUSY, SQLITE_LOCKED: return false
        default: throw self.destination.error(result, doing: "write the backup")
        }
    }
}
