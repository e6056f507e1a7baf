public import Cryptography

/// The durable state of a gateway: claims, answers, records, reports, clients.
///
/// One connection on a queue of its own does every write and every checkpoint; whatever waits becomes one
/// transaction, and a write returns after its commit is on disk. Reads are synchronous on the caller's thread.
///
/// The store never reads a clock: whoever calls passes the time. Nothing here logs: the store throws.
///
/// ## Topics
/// - Reading: ``lookUp(_:)``, ``record(_:client:user:)``, ``openClaims(after:sentBefore:includingSettled:limit:)``
/// - Reports: ``report(_:client:user:)``, ``keep(_:ofRecord:)``
/// - A paid call: ``claim(_:)``, ``move(row:flight:to:reserving:)``, ``complete(_:)``, ``release(row:flight:)``, ``markUnresolved(row:flight:)``
/// - Operation: ``settle(_:billed:)``, ``expire(now:limit:)``, ``probe(byteCount:)``, ``close()``
public final class Store: Sendable {
    /// The state directory.
    public let directory: String
    /// Sixteen random bytes that were made with the database: what contents are fingerprinted with.
    ///
    /// It lives as long as the fingerprints that it made, and in the same place.
    public let fingerprintKey: Secret
    let configuration: Configuration
    let cache: AnswerCache
    let readers: ReaderPool
    let compressor = Compressor()
    let writer: Writer

    /// Opens the store of a state directory, making both when they do not exist, and brings it to the present schema.
    ///
    /// - Throws: `.locked` when another process uses the directory, `.otherSchema` when a newer SpeechGate wrote it, or a
    ///   build whose steps are not those of this one, `.corrupt` when it is damaged or somebody else's, `.unavailable` when
    ///   it cannot be read or written.
    public static func open(_ configuration: Configuration) throws(StoreError) -> Store {
        try Self.open(configuration, migrations: Migration.all)
    }

    /// As ``open(_:)``, with other steps of the schema.
    package static func open(
        _ configuration: Configuration,
        migrations: [Migration]
    ) throws(StoreError) -> Store {
        try Store(configuration, migrations: migrations)
    }

    private init(_ configuration: Configuration, migrations: [Migration]) throws(StoreError) {
        let path = configuration.directory + "/speechgate.db"
        try StateDirectory.create(configuration.directory)
        let lock = try StateLock(directory: configuration.directory)
        try StateDirectory.createPrivateFile(path)
        let database = try Database(path: path, access: .readWrite)
        try database.execute("PRAGMA busy_timeout = 1000")
        let migrator = try Migrator(migrations, database: database, path: path)
        if migrator.isNew {
            // Both have an effect only before the first table. Pages of 8 KiB take a fifth fewer writes for a
            // call than pages of 4 KiB.
            try database.execute("PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL")
        }
        // Some file systems cannot share the log's index; SQLite says so by keeping another mode.
        let mode = try database.prepare("PRAGMA journal_mode = WAL")
            .first { $0.text(at: 0) }
        guard mode == "wal" else {
            throw StoreError(
                code: .unavailable,
                message: "the file system of \(configuration.directory) cannot hold a write-ahead log; use a local disk"
            )
        }
        // No wal_autocheckpoint here: it would take away the connection's own hook, which replaces it already. The
        // log's size limit is applied when the log starts over.
        try database.execute(
            """
            PRAGMA synchronous = FULL;
            PRAGMA journal_size_limit = \(4 * configuration.checkpointSize);
            PRAGMA secure_delete = ON;
            PRAGMA foreign_keys = OFF;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -8192;
            """
        )
        try migrator.migrate()
        let connection = try WriterConnection(database: database)
        self.directory = configuration.directory
        self.fingerprintKey = connection.fingerprintKey
        self.configuration = configuration
        self.cache = AnswerCache(capacity: configuration.answerCacheSize)
        self.readers = ReaderPool(path: path, capacity: configuration.readerCount)
        self.writer = Writer(connection: connection, cache: self.cache, lock: lock, configuration: configuration)
    }

    // MARK: Reading

    /// What is stored under a key, with its answer.
    public func lookUp(_ scope: ScopeHash) throws(StoreError) -> KeyRow? {
        if let row = self.cache.key(scope) {
            return row
        }
        let epoch = self.cache.epoch
        let row = try self.readers.withReader { (reader) throws(StoreError) in try reader.key(scope) }
        if let row, row.answer != nil {
            self.cache.insert(key: row, record: nil, since: epoch)
        }
        return row
    }

    /// Keys that were claimed and have no answer, in the order of their ids.
    ///
    /// - Parameters:
    ///   - id: The id of the last row of the page before.
    ///   - sentBefore: Leaves out what was first claimed later, in Unix milliseconds.
    ///   - includingSettled: Whether keys settled as billed are wanted too.
    ///   - limit: The largest number of rows.
    public func openClaims(
        after id: Int64 = 0,
        sentBefore: Int64 = .max,
        includingSettled: Bool = false,
        limit: Int = 100
    ) throws(StoreError) -> [KeyRow] {
        try self.readers.withReader { (reader) throws(StoreError) in
            try reader.openClaims(
                after: id,
                sentBefore: sentBefore,
                includingSettled: includingSettled,
                limit: limit
            )
        }
    }

    /// How many keys are in which state.
    ///
    /// Kept in memory, cheap.
    public func claimCounts() -> ClaimCounts {
        self.writer.statistics.counts
    }

    /// What the store has done since it was opened.
    public var statistics: Statistics {
        let writer = self.writer.statistics
        let cache = self.cache.statistics
        return Statistics(
            transactions: writer.transactions,
            waitingWrites: self.writer.waitingCount,
            checkpoints: writer.checkpoints,
            checkpointFailure: writer.checkpointFailure,
            cachedBytes: cache.bytes,
            cacheHits: cache.hits
        )
    }

    // MARK: A paid call

    /// Writes a claim before the first byte goes to the platform.
    ///
    /// A key that was claimed before and has no answer keeps its row with everything in it, and takes the new flight.
    ///
    /// - Throws: `.conflict` when the key has an answer, `.settledBilled` when an operator settled it as billed,
    ///   `.erased` when it was erased.
    public func claim(_ claim: NewClaim) async throws(StoreError) -> ClaimedRow {
        try await self.writer.submit(weight: 4096) { (connection) throws(StoreError) in try connection.claim(claim) }
    }

    /// Stores an answer and its record in one commit, and makes the key answered.
    ///
    /// - Returns: False when the row does not carry the answer's flight any more; nothing is stored then.
    public func complete(_ answer: NewAnswer) async throws(StoreError) -> Bool {
        let frame = self.compressor.compress(answer.body)
        let weight = 4096 + (frame ?? answer.body).count
        return try await self.writer.submit(weight: weight) { (connection) throws(StoreError) in
            try connection.complete(answer, frame: frame)
        }
    }

    /// Deletes a claim that was proved not to be executed, unless it is unresolved.
    @discardableResult
    public func release(row: Int64, flight: FlightID) async throws(StoreError) -> Release {
        try await self.writer.submit { (connection) throws(StoreError) in
            try connection.release(row: row, flight: flight)
        }
    }

    /// Notes that an attempt of this flight may have been billed without an answer.
    ///
    /// - Returns: False when the row does not carry the flight any more.
    @discardableResult
    public func markUnresolved(row: Int64, flight: FlightID) async throws(StoreError) -> Bool {
        try await self.writer.submit { (connection) throws(StoreError) in
            try connection.markUnresolved(row: row, flight: flight)
        }
    }

    // MARK: Operation

    /// Ends a key without an answer by the word of an operator.
    ///
    /// The store knows no running flights; whoever calls makes sure that the key has none.
    public func settle(_ scope: ScopeHash, billed: Bool) async throws(StoreError) -> Settlement {
        try await self.writer.submit { (connection) throws(StoreError) in
            try connection.settle(scope, billed: billed)
        }
    }

    /// Deletes a batch of what is older than its retention.
    ///
    /// - Parameters:
    ///   - now: The present time, in Unix milliseconds.
    ///   - limit: How many keys, and how many records, are looked at.
    public func expire(now: Int64, limit: Int = 64) async throws(StoreError) -> Expiry {
        let limits = RetentionLimits(self.configuration, now: now)
        let expiry = try await self.writer.submit(weight: limit * 4096) { (connection) throws(StoreError) in
            try connection.expire(limits, limit: limit)
        }
        try await self.writer.submit(weight: 1 << 20) { (connection) throws(StoreError) in try connection.shrink() }
        return expiry
    }

    /// Proves with a real write that the store is in order.
    ///
    /// - Parameter byteCount: How large the write is; its room is given back.
    public func probe(byteCount: Int = 0) async throws(StoreError) {
        try await self.writer.submit(weight: byteCount) { (connection) throws(StoreError) in
            try connection.probe(byteCount: byteCount)
        }
        try await self.writer.submit(weight: byteCount) { (connection) throws(StoreError) in
            try connection.endProbe()
        }
    }

    /// Finishes what waits, empties the log and lets go of the state directory.
    public func close() async {
        // Readers first: the last connection to close removes the log, and that is the writer's business.
        self.readers.close()
        await self.writer.close()
        self.cache.removeAll()
    }

    // MARK: Tests

    /// Runs one statement on the writer's connection, outside any transaction: a test's way to make writes fail, and to
    /// see what no question shows.
    ///
    /// - Returns: The first column of its first row.
    @discardableResult
    package func administer(_ sql: String) async throws(StoreError) -> Int64? {
        try await self.writer.administer(sql)
    }

    /// Keeps the writer from working until ``resumeWriter()``: a test's way to make writes meet in one transaction.
    package func pauseWriter() {
        self.writer.pause()
    }

    /// Ends ``pauseWriter()``; the two come in pairs.
    package func resumeWriter() {
        self.writer.resume()
    }
}
