extension Writer {
    /// Begins to copy the database to an empty file; one copy at a time.
    func beginBackup(to path: String) async throws(StoreError) {
        try await self.onQueue { (writer, connection) throws(StoreError) in
            guard writer.backup == nil else {
                throw StoreError(
                    code: .overloaded,
                    message: "another backup is being made; try again when it has ended"
                )
            }
            writer.backup = (path, try DatabaseBackup(of: connection.database, to: path))
        }
    }

    /// Copies the next pages, between two transactions.
    ///
    /// - Returns: Whether the copy is whole.
    func stepBackup(pages: Int32) async throws(StoreError) -> Bool {
        try await self.onQueue { (writer, _) throws(StoreError) in
            guard let backup = writer.backup else { throw .closed }
            return try backup.copy.step(pages: pages)
        }
    }

    /// Lets go of the copy to a file, if it is the one being made.
    func endBackup(to path: String) async {
        try? await self.onQueue { (writer, _) throws(StoreError) in
            if writer.backup?.path == path { writer.backup = nil }
        }
    }
}
