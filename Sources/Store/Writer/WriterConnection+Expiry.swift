/// How far a sweep of old keys has come.
struct KeySweep {
    var firstSentAt = Int64.min
    var id = Int64.min
}

/// What one step of the retention sweep deleted.
public struct Expiry: Equatable, Sendable {
    /// Answered keys.
    public var keys = 0
    /// Keys without an answer.
    public var unknown = 0
    /// Records.
    public var records = 0
    /// Whether nothing older is left; otherwise call again.
    public var isComplete = false

    /// Nothing yet.
    public init() {}
}

/// Up to when what is kept no longer, in Unix milliseconds.
struct RetentionLimits {
    let keys: Int64
    let unknown: Int64
    let records: Int64
    let audit: Int64
    /// Counted from 1970-01-01.
    let usageDay: Int64
    let now: Int64

    init(_ configuration: Store.Configuration, now: Int64) {
        self.keys = now - configuration.keyRetention.wholeMilliseconds
        self.unknown = now - configuration.unknownRetention.wholeMilliseconds
        self.usageDay = (now - configuration.usageRetention.wholeMilliseconds) / 86_400_000
        self.audit = now - configuration.auditRetention.wholeMilliseconds
        self.records = now - configuration.recordRetention.wholeMilliseconds
        self.now = now
    }
}

extension WriterConnection {
    /// Deletes what is older than its retention, looking at no more than `limit` keys and as many records.
    ///
    /// Old keys without an answer stay in front of the index for weeks; the sweep remembers where it stands, so that
    /// they are passed once a sweep and not once a step.
    func expire(_ limits: RetentionLimits, limit: Int) throws(StoreError) -> Expiry {
        var expiry = Expiry()
        let oldKeys = try self.oldKeys(before: max(limits.keys, limits.unknown), limit: limit)
        for key in oldKeys where key.isExpired(limits) {
            if let state = key.open {
                try self.statements.deleteClaim.run { $0.bind(key.id, at: 1) }
                try self.settleReservations(claim: key.id, audioMilliseconds: nil)
                self.counts[keyPath: state.counter] -= 1
                expiry.unknown += 1
            } else {
                self.counts.answered -= 1
                expiry.keys += 1
            }
            try self.statements.deleteKey.run { $0.bind(key.id, at: 1) }
            try self.statements.deleteOrphanedByKey.run { $0.bind(key.id, at: 1) }
            self.effects.append(.purgeKey(key.scope))
        }
        let oldRecords = try self.statements.oldRecords.all {
            $0.bind(limits.records, at: 1)
            $0.bind(limit, at: 2)
        } reading: {
            (id: $0.integer(at: 0), recordID: $0.text(at: 1))
        }
        for record in oldRecords {
            try self.statements.deleteRecord.run { $0.bind(record.id, at: 1) }
            try self.statements.deleteOrphanedByRecord.run { $0.bind(record.id, at: 1) }
            self.effects.append(.purgeRecord(record.recordID))
        }
        expiry.records = oldRecords.count
        if let last = oldKeys.last, oldKeys.count == limit {
            self.keySweep = KeySweep(firstSentAt: last.firstSentAt, id: last.id)
        } else {
            self.keySweep = KeySweep()
            expiry.isComplete = oldRecords.count < limit
        }
        let others = [
            try self.expireErasures(limits, limit: limit), try self.expireUsage(before: limits.usageDay, limit: limit),
            try self.expireDays(now: limits.now, limit: limit),
        ]
        let hasOldTokens = try !self.expireTokens(now: limits.now, limit: limit)
        if hasOldTokens || others.contains(limit) {
            expiry.isComplete = false
        }
        if expiry.keys + expiry.unknown + expiry.records > 0 {
            self.hasDeletions = true
        }
        return expiry
    }

    /// Gives free pages back to the file system, a few at a time, once they are a quarter of the database.
    func shrink() throws(StoreError) {
        let free = try self.statements.freePages.first { $0.integer(at: 0) } ?? 0
        let all = try self.statements.pages.first { $0.integer(at: 0) } ?? 0
        if free > 2048 && free > all / 4 {
            try self.statements.vacuum.run()
        }
    }

    private struct OldKey {
        let id: Int64
        let scope: ScopeHash
        let firstSentAt: Int64
        let answeredAt: Int64?
        let open: ClaimState?

        func isExpired(_ limits: RetentionLimits) -> Bool {
            if let answeredAt = self.answeredAt {
                return answeredAt < limits.keys
            }
            return self.firstSentAt < limits.unknown
        }
    }

    private func oldKeys(before limit: Int64, limit count: Int) throws(StoreError) -> [OldKey] {
        let sweep = self.keySweep
        return try self.statements.oldKeys.all {
            $0.bind(sweep.firstSentAt, at: 1)
            $0.bind(sweep.id, at: 2)
            $0.bind(limit, at: 3)
            $0.bind(count, at: 4)
        } reading: {
            OldKey(
                id: $0.integer(at: 0),
                scope: $0.scope(at: 1),
                firstSentAt: $0.integer(at: 2),
                answeredAt: $0.optionalInteger(at: 3),
                open: $0.isNull(at: 4) ? nil : $0.claimState(at: 4)
            )
        }
    }
}
