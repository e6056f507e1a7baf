private import Glibc

/// The file that a backup is written to.
enum BackupFile {
    /// Makes an empty file that only the owner may read; there must be none.
    static func create(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            guard errno == EEXIST else { throw StoreError(errno: errno, doing: "create \(path)") }
            throw StoreError(code: .conflict, message: "\(path) exists; a backup overwrites nothing")
        }
        close(descriptor)
    }

    /// Makes the copy one file, has SQLite check it and sees it to the disk.
    ///
    /// - Returns: Its size in bytes.
    static func finish(_ path: String) throws(StoreError) -> Int {
        do {
            let copy = try Database(path: path, access: .readWrite)
            try copy.execute("PRAGMA journal_mode = DELETE")
            let faults = try copy.integrityFaults()
            guard faults.isEmpty else {
                throw StoreError(code: .corrupt, message: "the backup is damaged: \(faults[0]); run doctor")
            }
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(errno: errno, doing: "open \(path)") }
        defer { close(descriptor) }
        var status = stat()
        guard fsync(descriptor) == 0, fstat(descriptor, &status) == 0 else {
            throw StoreError(errno: errno, doing: "write \(path) to the disk")
        }
        return Int(status.st_size)
    }
}
