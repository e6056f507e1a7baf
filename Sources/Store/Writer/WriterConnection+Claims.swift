extension WriterConnection {
    /// Writes a claim, or takes over the row of a key that was claimed before and has no answer.
    ///
    /// - Throws: `.erased` when the key was erased, or its user since the flight began.
    func claim(_ claim: NewClaim) throws(StoreError) -> ClaimedRow {
        guard try !self.isErased(claim) else {
            throw StoreError(code: .erased, message: "the key was erased; use a new key")
        }
        let id = self.makeID()
        try self.statements.insertKey.run {
            $0.bind(id, at: 1)
            $0.bind(claim.scope, at: 2)
            $0.bind(claim.client, at: 3)
            $0.bind(claim.user, at: 4)
            $0.bind(claim.key, at: 5)
            $0.bind(claim.operation, at: 6)
            $0.bind(claim.fingerprint, at: 7)
            $0.bind(claim.appKey, at: 8)
            $0.bind(claim.upstreamKey, at: 9)
            $0.bind(claim.sentAt, at: 10)
        }
        guard self.database.changes == 1 else {
            return try self.reclaim(claim)
        }
        if let token = claim.token, try !self.use(token) {
            // A refusal leaves nothing behind.
            try self.statements.deleteKey.run { $0.bind(id, at: 1) }
            throw StoreError(code: .tokenExhausted, message: "the calls of the token are used up")
        }
        try self.statements.insertClaim.run {
            $0.bind(id, at: 1)
            $0.bind(claim.flight, at: 2)
            $0.bind(claim.token?.tokenID, at: 4)
        }
        self.counts.sent += 1
        return ClaimedRow(
            id: id,
            firstSentAt: claim.sentAt,
            appKey: claim.appKey,
            upstreamKey: claim.upstreamKey,
            isUnresolved: false,
            isNew: true
        )
    }

    private func reclaim(_ claim: NewClaim) throws(StoreError) -> ClaimedRow {
        let found = try self.findClaim(claim.scope)
        guard let found, let open = found.open else {
            throw StoreError(code: .conflict, message: "the key has an answer; it cannot be claimed again")
        }
        guard !open.isSettledBilled else {
            throw StoreError(code: .settledBilled, message: "the key was settled as billed; use a new key")
        }
        try self.statements.reclaim.run {
            $0.bind(found.row.id, at: 1)
            $0.bind(claim.flight, at: 2)
        }
        return found.row
    }

    /// Deletes a claim that was proved not to be executed; the key is free again.
    func release(row: Int64, flight: FlightID) throws(StoreError) -> Release {
        let released = try self.statements.releaseClaim.first {
            $0.bind(row, at: 1)
            $0.bind(flight, at: 2)
        } reading: {
            (tokenID: $0.optionalText(at: 0), ())
        }
        if let released {
            try self.giveBack(tokenID: released.tokenID)
            try self.statements.deleteKey.run { $0.bind(row, at: 1) }
            self.counts.sent -= 1
            return .deleted
        }
        return try self.claimState(row: row, flight: flight) == nil ? .notOwned : .kept
    }

    /// Notes that an attempt may have been billed without an answer.
    func markUnresolved(row: Int64, flight: FlightID) throws(StoreError) -> Bool {
        guard let state = try self.claimState(row: row, flight: flight) else {
            return false
        }
        guard !state.isUnresolved else {
            return true
        }
        try self.statements.setUnresolved.run { $0.bind(row, at: 1) }
        self.move(state, to: ClaimState(isUnresolved: true, isSettledBilled: state.isSettledBilled))
        return true
    }

    /// Ends a claim by the word of an operator.
    func settle(_ scope: ScopeHash, billed: Bool) throws(StoreError) -> Settlement {
        guard let found = try self.findClaim(scope) else {
            return .notFound
        }
        guard let open = found.open else {
            return .alreadyAnswered
        }
        let id = found.row.id
        self.effects.append(.purgeKey(scope))
        guard billed else {
            let tokenID = try self.statements.deleteClaim.first {
                $0.bind(id, at: 1)
            } reading: {
                $0.optionalText(at: 0)
            }
            try self.giveBack(tokenID: tokenID ?? nil)
            try self.statements.deleteKey.run { $0.bind(id, at: 1) }
            self.counts[keyPath: open.counter] -= 1
            return .deleted
        }
        try self.statements.settleBilled.run { $0.bind(id, at: 1) }
        self.move(open, to: ClaimState(isUnresolved: open.isUnresolved, isSettledBilled: true))
        return .kept
    }

    // MARK: Reading

    /// What changes while a key has no answer.
    struct ClaimState {
        let isUnresolved: Bool
        let isSettledBilled: Bool

        var counter: WritableKeyPath<ClaimCounts, Int> {
            if self.isSettledBilled {
                return \.settledBilled
            }
            return self.isUnresolved ? \.unresolved : \.sent
        }
    }

    private func move(_ old: ClaimState, to new: ClaimState) {
        self.counts[keyPath: old.counter] -= 1
        self.counts[keyPath: new.counter] += 1
    }

    private func claimState(row: Int64, flight: FlightID) throws(StoreError) -> ClaimState? {
        try self.statements.claimState.first {
            $0.bind(row, at: 1)
            $0.bind(flight, at: 2)
        } reading: {
            $0.claimState(at: 0)
        }
    }

    private func findClaim(_ scope: ScopeHash) throws(StoreError) -> (row: ClaimedRow, open: ClaimState?)? {
        try self.statements.findClaim.first {
            $0.bind(scope, at: 1)
        } reading: {
            let open = $0.isNull(at: 4) ? nil : $0.claimState(at: 4)
            let row = ClaimedRow(
                id: $0.integer(at: 0),
                firstSentAt: $0.integer(at: 1),
                appKey: $0.text(at: 2),
                upstreamKey: $0.text(at: 3),
                isUnresolved: open?.isUnresolved ?? false,
                isNew: false
            )
            return (row, open)
        }
    }
}

extension Statement {
    /// Reads the columns `unresolved` and `settled_billed`.
    func claimState(at first: Int32) -> WriterConnection.ClaimState {
        WriterConnection.ClaimState(isUnresolved: self.flag(at: first), isSettledBilled: self.flag(at: first + 1))
    }
}
