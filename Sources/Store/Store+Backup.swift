private import Dispatch
private import Glibc

extension Store {
    /// How many pages one step copies, 2 MiB: it takes a few milliseconds, and waiting writes come between.
    private static let pagesPerStep: Int32 = 256
    private static let checks = DispatchQueue(label: "speechgate.store.checks")

    /// Copies the store to a new file, consistently, while it goes on working; the copy is opened and checked.
    ///
    /// Cancelling the task ends the copy and removes the file.
    ///
    /// - Parameter path: Must not exist; only the owner may read it.
    /// - Returns: The size of the copy in bytes.
    /// - Throws: `.conflict` when the file exists, `.corrupt` when the copy does not pass SQLite's check.
    public func backUp(to path: String) async throws(StoreError) -> Int {
        try BackupFile.create(path)
        do throws(StoreError) {
            try await self.writer.beginBackup(to: path)
            while try await !self.writer.stepBackup(pages: Self.pagesPerStep) {
                guard !Task.isCancelled else {
                    throw StoreError(code: .closed, message: "the backup was given up")
                }
            }
            await self.writer.endBackup(to: path)
            return try await Self.check(path)
        } catch {
            await self.writer.endBackup(to: path)
            for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
            throw error
        }
    }

    /// SQLite's own check of all that is stored.
    ///
    /// - Returns: What is wrong; empty when nothing is.
    public func integrityFaults() async throws(StoreError) -> [String] {
        let result: Result<[String], StoreError> = await withCheckedContinuation { continuation in
            Self.checks.async {
                do throws(StoreError) {
                    let faults = try self.readers.withReader { (reader) throws(StoreError) in
                        try reader.database.integrityFaults()
                    }
                    continuation.resume(returning: .success(faults))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// The version of the SQLite library.
    public static var sqliteVersion: String { Database.sqliteVersion }

    /// Makes the copy one file, checks it and sees it to the disk.
    private static func check(_ path: String) async throws(StoreError) -> Int {
        let result: Result<Int, StoreError> = await withCheckedContinuation { continuation in
            Self.checks.async {
                do throws(StoreError) {
                    continuation.resume(returning: .success(try BackupFile.finish(path)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
