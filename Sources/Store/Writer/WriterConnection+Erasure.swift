internal import Cryptography

extension WriterConnection {
    /// Erases the calls that brought a record, which are more than one where the platform gave an answer twice.
    ///
    /// - Returns: Nil when there is no such record.
    func eraseRecord(
        _ recordID: String,
        client: String,
        user: String?,
        actor: String,
        retention: KeyRetention,
        now: Int64
    ) throws(StoreError) -> ErasedCounts? {
        let rows = try self.erasure.recordsOfID.all {
            $0.bind(recordID, at: 1)
            $0.bind(client, at: 2)
            $0.bind(user, at: 3)
        } reading: {
            $0.integer(at: 0)
        }
        guard !rows.isEmpty else {
            return nil
        }
        var counts = ErasedCounts()
        for row in rows {
            counts += try self.erase(row, retention: retention)
        }
        let entry = AuditEntry(actor: actor, action: "erase record", client: client, subject: recordID)
        try self.note(entry, id: self.makeID(), counts: counts, now: now)
        return counts
    }

    /// Writes down that a user's calls shall be erased, so that a crash does not stop it.
    ///
    /// From this commit on nobody reads any more what is meant.
    func beginErasure(_ new: NewErasure) throws(StoreError) -> Int64 {
        let id = self.makeID()
        let hadUsage = try self.makeUsageAnonymous(client: new.client, user: new.user)
        try self.erasure.begin.run {
            $0.bind(id, at: 1)
            $0.bind(new.client, at: 2)
            $0.bind(new.user, at: 3)
            // Later calls have higher ids and are not meant.
            $0.bind(id, at: 4)
            $0.bind(new.actor, at: 5)
            $0.bind(hadUsage ? 1 : 0, at: 6)
        }
        self.hasTombstones = true
        self.effects.append(.purgeUser(ClientUser(client: new.client, user: new.user)))
        if let flights = new.flights {
            let isOver = { (erased: ErasedUser) in
                erased.lastFlight < flights.lowerBound
                    && erased.erasedAt < new.requestedAt - ErasedUser.minimumLifetime
            }
            if self.erasedUsers.contains(where: { isOver($0.value) }) {
                self.erasedUsers = self.erasedUsers.filter { !isOver($0.value) }
            }
            self.erasedUsers[ClientUser(client: new.client, user: new.user)] = ErasedUser(
                lastFlight: flights.upperBound,
                erasedAt: new.requestedAt
            )
        }
        return id
    }

    /// Erases the next calls of a user, at most `limit`.
    func continueErasure(
        _ id: Int64,
        retention: KeyRetention,
        now: Int64,
        limit: Int
    ) throws(StoreError) -> ErasureProgress {
        guard let running = try self.runningErasure(id) else {
            // Somebody else has finished it.
            let counts = try self.erasure.findAudit.first {
                $0.bind(id, at: 1)
            } reading: {
                $0.erasedCounts(at: 0)
            }
            return ErasureProgress(id: id, counts: counts ?? ErasedCounts(), isComplete: true)
        }
        var counts = running.counts
        var rest = limit
        // Keys first: with them go the records of the same calls. What is left are records whose key has expired.
        for statement in [self.erasure.keysOfUser, self.erasure.recordsOfUser] where rest > 0 {
            let rows = try statement.all {
                $0.bind(running.audit.client, at: 1)
                $0.bind(running.audit.subject, at: 2)
                $0.bind(running.endID, at: 3)
                $0.bind(rest, at: 4)
            } reading: {
                $0.integer(at: 0)
            }
            for row in rows {
                counts += try self.erase(row, retention: retention)
            }
            rest -= rows.count
        }
        guard rest > 0 else {
            try self.erasure.update.run {
                $0.bind(id, at: 1)
                $0.bind(counts, at: 2)
            }
            return ErasureProgress(id: id, counts: counts, isComplete: false)
        }
        try self.erasure.end.run { $0.bind(id, at: 1) }
        // A user who never was leaves no trace: anybody can make up names.
        if running.hadUsage || counts != ErasedCounts() {
            try self.note(running.audit, id: id, counts: counts, now: now)
        }
        return ErasureProgress(id: id, counts: counts, isComplete: true)
    }

    /// The erasures that are not finished.
    func pendingErasures() throws(StoreError) -> [Int64] {
        try self.erasure.pending.all { $0.integer(at: 0) }
    }

    /// Whether a claim's key was erased, or its flight began before all calls of its user were.
    func isErased(_ claim: NewClaim) throws(StoreError) -> Bool {
        if self.isErased(user: claim.user, client: claim.client, since: claim.flight) { return true }
        guard self.hasTombstones else { return false }
        return try self.erasure.findErased.first {
            $0.bind(claim.scope, at: 1)
        } reading: { _ in
            true
        } ?? false
    }

    /// Whether a user was erased after a flight began.
    func isErased(user: String?, client: String, since flight: FlightID) -> Bool {
        // Mostly nobody is: then the names need not be hashed.
        guard !self.erasedUsers.isEmpty, let user,
            let last = self.erasedUsers[ClientUser(client: client, user: user)]?.lastFlight
        else {
            return false
        }
        return last.process == flight.process && flight <= last
    }

    /// Forgets what was erased long ago.
    ///
    /// - Returns: How many rows went.
    func expireErasures(_ limits: RetentionLimits, limit: Int) throws(StoreError) -> Int {
        var count = 0
        for (statement, before) in [
            (self.erasure.deleteTombstones, limits.now), (self.erasure.deleteAudit, limits.audit),
        ] {
            try statement.run {
                $0.bind(before, at: 1)
                $0.bind(limit, at: 2)
            }
            count = max(count, self.database.changes)
        }
        return count
    }

    // MARK: One call

    /// Deletes everything that has a row id, and leaves a tombstone for its key.
    private func erase(_ row: Int64, retention: KeyRetention) throws(StoreError) -> ErasedCounts {
        var counts = ErasedCounts()
        let key = try self.erasure.findKey.first {
            $0.bind(row, at: 1)
        } reading: {
            (
                scope: $0.scope(at: 0), firstSentAt: $0.integer(at: 1), answeredAt: $0.optionalInteger(at: 2),
                open: $0.isNull(at: 3) ? nil : $0.claimState(at: 3)
            )
        }
        if let key {
            self.hasTombstones = true
            try self.erasure.insertTombstone.run {
                $0.bind(key.scope, at: 1)
                $0.bind(key.answeredAt.map { $0 + retention.answered } ?? key.firstSentAt + retention.unknown, at: 2)
            }
            if let open = key.open {
                // The flight, if one still runs, finds no claim to answer, and so nothing of it is stored.
                try self.statements.deleteClaim.run { $0.bind(row, at: 1) }
                try self.settleReservations(claim: row, audioMilliseconds: nil)
                self.counts[keyPath: open.counter] -= 1
                counts.openCalls = 1
            } else {
                self.counts.answered -= 1
            }
            try self.statements.deleteKey.run { $0.bind(row, at: 1) }
            self.effects.append(.purgeKey(key.scope))
            counts.keys = 1
        }
        if let recordID = try self.erasure.findRecord.first(
            binding: { $0.bind(row, at: 1) },
            reading: { $0.text(at: 0) }
        ) {
            try self.statements.deleteRecord.run { $0.bind(row, at: 1) }
            self.effects.append(.purgeRecord(recordID))
            counts.records = 1
        }
        try self.erasure.deleteAnswer.run { $0.bind(row, at: 1) }
        counts.answers = self.database.changes
        self.hasDeletions = true
        return counts
    }

    // MARK: Audit

    /// Who did what to whom.
    private struct AuditEntry {
        let actor: String
        let action: String
        let client: String
        /// A user or a record id; only its hash is kept.
        let subject: String
    }

    private func runningErasure(
        _ id: Int64
    ) throws(StoreError) -> (audit: AuditEntry, endID: Int64, hadUsage: Bool, counts: ErasedCounts)? {
        try self.erasure.find.first {
            $0.bind(id, at: 1)
        } reading: {
            let audit = AuditEntry(
                actor: $0.text(at: 3),
                action: "erase user",
                client: $0.text(at: 0),
                subject: $0.text(at: 1)
            )
            return (audit, $0.integer(at: 2), $0.flag(at: 4), $0.erasedCounts(at: 5))
        }
    }

    private func note(_ entry: AuditEntry, id: Int64, counts: ErasedCounts, now: Int64) throws(StoreError) {
        let subject = SHA256.hash(of: entry.subject).bytes
        try self.erasure.insertAudit.run {
            $0.bind(id, at: 1)
            $0.bind(now, at: 2)
            $0.bind(entry.actor, at: 3)
            $0.bind(entry.action, at: 4)
            $0.bind(entry.client, at: 5)
            $0.bind(subject, at: 6)
            $0.bind(counts, at: 7)
        }
    }
}

extension Statement {
    fileprivate func bind(_ counts: ErasedCounts, at first: Int32) {
        self.bind(counts.keys, at: first)
        self.bind(counts.records, at: first + 1)
        self.bind(counts.answers, at: first + 2)
        self.bind(counts.openCalls, at: first + 3)
    }

    fileprivate func erasedCounts(at first: Int32) -> ErasedCounts {
        var counts = ErasedCounts()
        counts.keys = Int(self.integer(at: first))
        counts.records = Int(self.integer(at: first + 1))
        counts.answers = Int(self.integer(at: first + 2))
        counts.openCalls = Int(self.integer(at: first + 3))
        return counts
    }
}
