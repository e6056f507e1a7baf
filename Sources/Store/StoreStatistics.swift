extension Store {
    /// What the store has done since it was opened.
    public struct Statistics: Equatable, Sendable {
        /// Committed transactions.
        public let transactions: Int
        /// Writes in them, failed ones included.
        public let writes: Int
        /// Writes that wait for their transaction.
        public let waitingWrites: Int
        /// Copies of the log into the database.
        public let checkpoints: Int
        /// Why the last of them failed, if it did.
        public let checkpointFailure: String?
        /// The bytes of answers kept in memory.
        public let cachedBytes: Int
        /// Reads that were answered from memory.
        public let cacheHits: Int
        /// Reads that went to the database.
        public let cacheMisses: Int
    }
}
