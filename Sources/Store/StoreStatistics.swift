extension Store {
    /// What the store has done since it was opened.
    public struct Statistics: Equatable, Sendable {
        /// Committed transactions.
        public let transactions: Int
        /// Writes that wait for their transaction.
        package let waitingWrites: Int
        /// Copies of the log into the database.
        package let checkpoints: Int
        /// Why the last of them failed, if it did.
        package let checkpointFailure: String?
        /// The bytes of answers kept in memory.
        public let cachedBytes: Int
        /// Reads that were answered from memory.
        package let cacheHits: Int
    }
}
