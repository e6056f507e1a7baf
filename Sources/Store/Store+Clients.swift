extension Store {
    /// All clients, also revoked ones, in the order they were added.
    public func clients() throws(StoreError) -> [ClientRow] {
        try self.readers.withReader { (reader) throws(StoreError) in try reader.allClients() }
    }

    /// Adds a client.
    ///
    /// - Throws: `.conflict` when the name exists or existed, or the key is another client's.
    public func addClient(_ client: NewClient) async throws(StoreError) {
        try await self.writer.submit { (connection) throws(StoreError) in try connection.addClient(client) }
    }

    /// Revokes a client.
    ///
    /// - Parameter now: The present time, in Unix milliseconds.
    /// - Returns: False when there is no such client, or it is revoked already.
    public func revokeClient(_ name: String, at now: Int64) async throws(StoreError) -> Bool {
        try await self.writer.submit { (connection) throws(StoreError) in
            try connection.revokeClient(name, at: now)
        }
    }

    /// Gives a client a new API key and raises the generation of its derived secrets.
    ///
    /// - Parameter previousUntil: How long the generation before stays valid, in Unix milliseconds; one that was older
    ///   ends at once.
    /// - Returns: Nil when there is no such client, or it is revoked.
    public func rotateClient(
        _ name: String,
        keyHash: [UInt8],
        previousUntil: Int64
    ) async throws(StoreError) -> ClientRotation? {
        try await self.writer.submit { (connection) throws(StoreError) in
            try connection.rotateClient(name, keyHash: keyHash, previousUntil: previousUntil)
        }
    }
}
