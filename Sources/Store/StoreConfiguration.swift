extension Store {
    /// Where the store lives and what it may use.
    public struct Configuration: Sendable {
        /// The state directory.
        ///
        /// It is created with mode 0700 when it does not exist.
        public var directory: String
        /// How many read connections are kept open.
        ///
        /// The default is 3; one per loop and one more is a good number.
        public var readerCount = 3
        /// The largest size of answers kept in memory, in bytes.
        ///
        /// The default is 8 MiB; 0 keeps none.
        public var answerCacheSize = 8 << 20
        /// How many writes may wait.
        ///
        /// The default is 16,384.
        public var maximumWaitingWrites = 16_384
        /// How far the write-ahead log may grow before it is copied to the database, in bytes.
        ///
        /// The default is 1 MiB.
        public var checkpointSize = 1 << 20
        /// How long the writer must have been idle before it tidies the log.
        ///
        /// The default is 1 s.
        public var idleDelay: Duration = .seconds(1)
        /// How long an answered key is kept after its answer.
        ///
        /// The default is 7 days.
        public var keyRetention: Duration = .seconds(7 * 86_400)
        /// How long a record is kept after its answer.
        ///
        /// The default is 90 days.
        public var recordRetention: Duration = .seconds(90 * 86_400)
        /// How long a key without an answer is kept after its first claim.
        ///
        /// The default is 30 days.
        public var unknownRetention: Duration = .seconds(30 * 86_400)
        /// How long the usage of a day is kept.
        ///
        /// The default is 400 days.
        public var usageRetention: Duration = .seconds(400 * 86_400)
        /// How long it is remembered who erased what.
        ///
        /// The default is 400 days.
        public var auditRetention: Duration = .seconds(400 * 86_400)

        /// Everything at its default.
        ///
        /// - Parameter directory: The state directory.
        public init(directory: String) {
            self.directory = directory
        }
    }
}
