internal import Cryptography

/// The one connection that writes, with its prepared statements and the counters it holds.
///
/// Confined to the writer's queue once the store is open. The operations stand in extensions by topic.
final class WriterConnection {
    /// What a transaction changes outside the database, to be done after its commit.
    enum Effect {
        case fill(KeyRow, RecordRow?)
        case purgeKey(ScopeHash)
        case purgeRecord(String)
        case purgeUser(ClientUser)
        case purgeReport(String)
    }

    let database: Database
    let statements: Statements
    /// The statements for erasing.
    let erasure: ErasureStatements
    /// The statements for usage.
    let usage: UsageStatements
    let quotas: QuotaStatements
    /// In bytes.
    let pageSize: Int
    /// What ``Store/fingerprintKey`` shows.
    let fingerprintKey: Secret

    /// The next row id.
    ///
    /// Never goes back, not even with a transaction: a gap costs nothing, a reused id would make one
    /// tenant's answer another's replay.
    private(set) var nextID: Int64
    /// The counts, with the open transaction's changes.
    var counts: ClaimCounts
    /// The open transaction's effects.
    var effects: [Effect] = []
    /// Whether a key may have been erased: most stores never erase anything, and then nothing is looked up.
    ///
    /// Does not go back to false, not even with a transaction.
    var hasTombstones: Bool
    /// Whether deleted content may still stand in the write-ahead log.
    var hasDeletions = false
    /// Where the running sweep of old keys stands.
    var keySweep = KeySweep()

    /// What the open transaction counted.
    var pendingUsage: [UsageKey: UsageCounts] = [:]
    /// Users erased while flights ran, with the last one that began before: what it brings later is not theirs any more.
    var erasedUsers: [ClientUser: ErasedUser] = [:]

    private var storedNextID: Int64
    private var storedAnswered: Int

    init(database: Database) throws(StoreError) {
        self.database = database
        self.statements = try Statements(database)
        self.erasure = try ErasureStatements(database)
        self.usage = try UsageStatements(database)
        self.quotas = try QuotaStatements(database)
        self.pageSize = Int(try database.integer("PRAGMA page_size") ?? 4096)
        let state = try database.prepare("SELECT next_id, answered, fingerprint_key FROM state WHERE id = 1")
            .first { ($0.integer(at: 0), $0.integer(at: 1), Secret($0.blob(at: 2))) }
        // A key of another length would end the process at its first use.
        guard let state, state.2.count == KeyedDigest.keyByteCount else {
            throw StoreError(
                code: .corrupt,
                message: "the store has no valid state row; restore a backup of the state directory"
            )
        }
        self.fingerprintKey = state.2
        var nextID = state.0
        for table in ["keys", "claims", "answers", "records", "reports"] {
            nextID = max(nextID, try (database.integer("SELECT MAX(id) FROM \(table)") ?? 0) + 1)
        }
        self.nextID = nextID
        self.storedNextID = state.0
        self.storedAnswered = Int(state.1)
        var counts = ClaimCounts()
        counts.answered = Int(state.1)
        let open = try database.prepare(
            "SELECT unresolved, settled_billed, COUNT(*) FROM claims GROUP BY unresolved, settled_billed"
        ).all { (state: $0.claimState(at: 0), count: Int($0.integer(at: 2))) }
        for group in open {
            counts[keyPath: group.state.counter] += group.count
        }
        self.counts = counts
        self.hasTombstones =
            try database.integer("SELECT EXISTS (SELECT 1 FROM erased_keys UNION ALL SELECT 1 FROM erasures)") == 1
    }

    func makeID() -> Int64 {
        defer {
            self.nextID += 1
        }
        return self.nextID
    }

    // MARK: Transactions

    func begin() throws(StoreError) {
        try self.statements.begin.run()
    }

    /// Writes the counters that changed and commits.
    func commit() throws(StoreError) {
        try self.writeUsage()
        let nextID = self.nextID
        let answered = self.counts.answered
        if nextID != self.storedNextID || answered != self.storedAnswered {
            try self.statements.writeState.run {
                $0.bind(nextID, at: 1)
                $0.bind(answered, at: 2)
            }
        }
        try self.statements.commit.run()
        self.storedNextID = nextID
        self.storedAnswered = answered
    }

    /// Ends a transaction that failed, which SQLite may have done already.
    func rollback() {
        if self.database.isInTransaction {
            try? self.statements.rollback.run()
        }
    }

    /// What a failure takes back beside the database.
    struct Mark {
        fileprivate let counts: ClaimCounts
        fileprivate let effects: Int
        fileprivate let hasDeletions: Bool
        fileprivate let keySweep: KeySweep
        fileprivate let erasedUsers: [ClientUser: ErasedUser]
        fileprivate let pendingUsage: [UsageKey: UsageCounts]
    }

    var mark: Mark {
        Mark(
            counts: self.counts,
            effects: self.effects.count,
            hasDeletions: self.hasDeletions,
            keySweep: self.keySweep,
            erasedUsers: self.erasedUsers,
            pendingUsage: self.pendingUsage
        )
    }

    func restore(_ mark: Mark) {
        self.counts = mark.counts
        self.effects.removeLast(self.effects.count - mark.effects)
        self.hasDeletions = mark.hasDeletions
        self.keySweep = mark.keySweep
        self.erasedUsers = mark.erasedUsers
        self.pendingUsage = mark.pendingUsage
    }

    /// Proves that writing works.
    func probe(byteCount: Int) throws(StoreError) {
        try self.statements.probe.run { $0.bind(byteCount, at: 1) }
    }

    /// Gives back what the probe took, in a commit of its own: in the same one it would never have been on the disk.
    func endProbe() throws(StoreError) {
        try self.statements.endProbe.run()
    }
}
