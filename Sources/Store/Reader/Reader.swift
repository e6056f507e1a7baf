/// One read-only connection with its statements.
///
/// Not `Sendable`: the pool lends it to one caller at a time. Each question is one statement, hence one read
/// transaction.
final class Reader {
    let database: Database
    private let lookUp: Statement
    private let record: Statement
    private let report: Statement
    private let openClaims: Statement
    private let findErased: Statement
    private let clients: Statement
    /// Pages of records.
    let recordPages: RecordPages
    let quotas: QuotaQuestions
    private let tokenCalls: Statement
    private let decompressor = Decompressor()

    private static let keyColumns = """
        k.id, k.scope, k.client, k.user, k.key, k.operation, k.fingerprint, k.app_key, k.upstream_key, k.first_sent_ms,
        c.flight_process, c.flight_serial, c.unresolved, c.settled_billed
        """

    init(path: String) throws(StoreError) {
        let database = try Database(path: path, access: .readOnly)
        try database.execute("PRAGMA busy_timeout = 1000; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -1024")
        self.lookUp = try database.prepare(
            """
            SELECT \(Self.keyColumns),
                a.fingerprint, a.status, a.content_type, a.record_id, a.platform_code, a.answered_ms, a.is_compressed,
                a.body
            FROM keys k LEFT JOIN claims c ON c.id = k.id LEFT JOIN answers a ON a.id = k.id
            WHERE k.scope = ?1 AND \(ErasedRows.areNot("k"))
            """
        )
        self.record = try database.prepare(
            """
            SELECT r.id, r.client, r.user, r.operation, r.core_type, r.overall, r.created_ms, r.key, r.app_key,
                r.upstream_key, a.status, a.content_type, a.record_id, a.platform_code, a.answered_ms, a.is_compressed,
                a.body
            FROM records r JOIN answers a ON a.id = r.id
            WHERE r.record_id = ?1 AND r.client = ?2 AND (?3 IS NULL OR r.user = ?3) AND \(ErasedRows.areNot("r"))
            ORDER BY r.id DESC LIMIT 1
            """
        )
        self.report = try database.prepare(
            """
            SELECT r.id, r.app_key, r.client, r.user, p.fetched_ms, p.is_complete, p.content_type, p.is_compressed,
                p.body
            FROM records r LEFT JOIN reports p ON p.id = r.id
            WHERE r.record_id = ?1 AND r.client = ?2 AND (?3 IS NULL OR r.user = ?3) AND \(ErasedRows.areNot("r"))
            ORDER BY r.id DESC LIMIT 1
            """
        )
        self.openClaims = try database.prepare(
            """
            SELECT \(Self.keyColumns) FROM claims c JOIN keys k ON k.id = c.id
            WHERE c.id > ?1 AND k.first_sent_ms < ?2 AND c.settled_billed <= ?3 AND \(ErasedRows.areNot("k"))
            ORDER BY c.id LIMIT ?4
            """
        )
        self.clients = try database.prepare(
            """
            SELECT name, label, key_hash, previous_key_hash, previous_until_ms, app_key, version, scopes, core_types,
                addresses, expires_ms, created_ms, revoked_ms
            FROM clients ORDER BY id
            """
        )
        self.findErased = try database.prepare(ErasedRows.keySQL)
        self.recordPages = try RecordPages(database)
        self.quotas = try QuotaQuestions(database)
        self.tokenCalls = try database.prepare("SELECT used FROM token_calls WHERE token = ?1")
        self.database = database
    }

    func key(_ scope: ScopeHash) throws(StoreError) -> KeyRow? {
        try self.lookUp.first {
            $0.bind(scope, at: 1)
        } reading: { (row) throws(StoreError) in
            // The answer's own fingerprint is never null.
            let isAnswered = !row.isNull(at: 14)
            return Self.key(row, answer: isAnswered ? try self.answer(row, from: 15) : nil)
        }
    }

    func isErased(_ scope: ScopeHash) throws(StoreError) -> Bool {
        try self.findErased.first {
            $0.bind(scope, at: 1)
        } reading: { _ in
            true
        } ?? false
    }

    func record(_ recordID: String, client: String, user: String?) throws(StoreError) -> RecordRow? {
        try self.record.first {
            $0.bind(recordID, at: 1)
            $0.bind(client, at: 2)
            $0.bind(user, at: 3)
        } reading: { (row) throws(StoreError) in
            RecordRow(
                id: row.integer(at: 0),
                recordID: recordID,
                client: row.text(at: 1),
                user: row.optionalText(at: 2),
                operation: row.text(at: 3),
                coreType: row.optionalText(at: 4),
                overall: row.optionalDouble(at: 5),
                createdAt: row.integer(at: 6),
                key: row.text(at: 7),
                appKey: row.text(at: 8),
                upstreamKey: row.text(at: 9),
                answer: try self.answer(row, from: 10)
            )
        }
    }

    func report(_ recordID: String, client: String, user: String?) throws(StoreError) -> ReportRow? {
        try self.report.first {
            $0.bind(recordID, at: 1)
            $0.bind(client, at: 2)
            $0.bind(user, at: 3)
        } reading: { (row) throws(StoreError) in
            var report: StoredReport?
            if !row.isNull(at: 4) {
                report = StoredReport(
                    contentType: row.text(at: 6),
                    body: try self.body(row, at: 8, isCompressed: row.flag(at: 7)),
                    fetchedAt: row.integer(at: 4),
                    isComplete: row.flag(at: 5)
                )
            }
            return ReportRow(
                id: row.integer(at: 0),
                recordID: recordID,
                client: row.text(at: 2),
                user: row.optionalText(at: 3),
                appKey: row.text(at: 1),
                report: report
            )
        }
    }

    func openClaims(
        after id: Int64,
        sentBefore limit: Int64,
        includingSettled: Bool,
        limit count: Int
    ) throws(StoreError) -> [KeyRow] {
        try self.openClaims.all {
            $0.bind(id, at: 1)
            $0.bind(limit, at: 2)
            $0.bind(includingSettled ? 1 : 0, at: 3)
            $0.bind(count, at: 4)
        } reading: {
            Self.key($0, answer: nil)
        }
    }

    func allClients() throws(StoreError) -> [ClientRow] {
        try self.clients.all {
            ClientRow(
                name: $0.text(at: 0),
                label: $0.optionalText(at: 1),
                keyHash: $0.blob(at: 2),
                previousKeyHash: $0.isNull(at: 3) ? nil : $0.blob(at: 3),
                previousUntil: $0.optionalInteger(at: 4),
                appKey: $0.optionalText(at: 5),
                version: Int($0.integer(at: 6)),
                scopes: Self.words($0.text(at: 7)),
                coreTypes: Self.words($0.text(at: 8)),
                addresses: Self.words($0.text(at: 9)),
                expiresAt: $0.optionalInteger(at: 10),
                createdAt: $0.integer(at: 11),
                revokedAt: $0.optionalInteger(at: 12)
            )
        }
    }

    func allTokenRevocations() throws(StoreError) -> [TokenRevocation] {
        // Asked once in the life of a process.
        try self.database.prepare(
            "SELECT client, user, token, revoked_ms, expires_ms FROM token_revocations ORDER BY id"
        ).all {
            TokenRevocation(
                client: $0.text(at: 0),
                user: $0.optionalText(at: 1),
                tokenID: $0.optionalText(at: 2),
                revokedAt: $0.integer(at: 3),
                expiresAt: $0.integer(at: 4)
            )
        }
    }

    func tokenCalls(_ tokenID: String) throws(StoreError) -> Int {
        try self.tokenCalls.first {
            $0.bind(tokenID, at: 1)
        } reading: {
            Int($0.integer(at: 0))
        } ?? 0
    }

    private static func words(_ text: String) -> [String] {
        text.split(separator: " ").map(String.init)
    }

    // MARK: Rows

    /// Reads `keyColumns`; an answer's fingerprint stands behind them.
    private static func key(_ row: Statement, answer: StoredAnswer?) -> KeyRow {
        KeyRow(
            id: row.integer(at: 0),
            scope: row.scope(at: 1),
            client: row.text(at: 2),
            user: row.optionalText(at: 3),
            key: row.text(at: 4),
            operation: row.text(at: 5),
            fingerprint: row.blob(at: answer == nil ? 6 : 14),
            appKey: row.text(at: 7),
            upstreamKey: row.text(at: 8),
            firstSentAt: row.integer(at: 9),
            flight: row.isNull(at: 10) ? nil : row.flight(at: 10),
            isUnresolved: row.flag(at: 12),
            isSettledBilled: row.flag(at: 13),
            answer: answer
        )
    }

    private func answer(_ row: Statement, from first: Int32) throws(StoreError) -> StoredAnswer {
        StoredAnswer(
            status: Int(row.integer(at: first)),
            contentType: row.text(at: first + 1),
            body: try self.body(row, at: first + 6, isCompressed: row.flag(at: first + 5)),
            recordID: row.optionalText(at: first + 2),
            platformCode: row.optionalInteger(at: first + 3).map(Int.init),
            answeredAt: row.integer(at: first + 4)
        )
    }

    private func body(_ row: Statement, at column: Int32, isCompressed: Bool) throws(StoreError) -> [UInt8] {
        try row.withBlob(at: column) { (bytes) throws(StoreError) in
            isCompressed ? try self.decompressor.decompress(bytes) : [UInt8](bytes)
        }
    }
}
