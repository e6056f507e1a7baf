extension WriterConnection {
    /// Stores an answer and its record, if the row still carries the answer's flight.
    ///
    /// - Parameter frame: The body as ``Compressor`` made it smaller.
    func complete(_ new: NewAnswer, frame: [UInt8]?) throws(StoreError) -> Bool {
        guard !self.isErased(user: new.claim.user, client: new.claim.client, since: new.claim.flight) else {
            // Its row is left to the erasure; nothing of it is stored but that it was paid for.
            self.countBilled(new, user: nil)
            return false
        }
        let open = try self.statements.endClaim.first {
            $0.bind(new.row.id, at: 1)
            $0.bind(new.claim.flight, at: 2)
        } reading: {
            $0.claimState(at: 0)
        }
        guard let open else {
            // Nothing of an erased call is stored but that it was paid for.
            if try self.isErased(new.claim) {
                self.countBilled(new, user: nil)
            }
            return false
        }
        let answer = StoredAnswer(
            status: new.status,
            contentType: new.contentType,
            body: new.body,
            recordID: new.record?.recordID,
            platformCode: new.platformCode,
            answeredAt: new.answeredAt
        )
        let key = KeyRow(new.claim, row: new.row, answer: answer)
        try self.insert(answer, frame: frame, row: key.id, fingerprint: key.fingerprint)
        let record = new.record.map { RecordRow($0, of: key, answer: answer) }
        if let record {
            try self.insert(record)
        }
        if !new.row.reservations.isEmpty {
            try self.settleReservations(claim: new.row.id, audioMilliseconds: new.audioMilliseconds)
        }
        self.counts[keyPath: open.counter] -= 1
        self.counts.answered += 1
        self.countBilled(new, user: key.user)
        self.effects.append(.fill(key, record))
        return true
    }

    private func insert(
        _ answer: StoredAnswer,
        frame: [UInt8]?,
        row: Int64,
        fingerprint: [UInt8]
    ) throws(StoreError) {
        // The bytes are lent to SQLite, not copied.
        try (frame ?? answer.body).withUnsafeBufferPointer { (body) throws(StoreError) in
            try self.statements.insertAnswer.run {
                $0.bind(row, at: 1)
                $0.bind(fingerprint, at: 2)
                $0.bind(answer.status, at: 3)
                $0.bind(answer.platformCode.map(Int64.init), at: 4)
                $0.bind(answer.contentType, at: 5)
                $0.bind(answer.recordID, at: 6)
                $0.bind(answer.answeredAt, at: 7)
                $0.bind(frame == nil ? 0 : 1, at: 8)
                $0.bind(borrowing: body, at: 9)
            }
        }
    }

    private func insert(_ record: RecordRow) throws(StoreError) {
        try self.statements.insertRecord.run {
            $0.bind(record.id, at: 1)
            $0.bind(record.recordID, at: 2)
            $0.bind(record.client, at: 3)
            $0.bind(record.user, at: 4)
            $0.bind(record.operation, at: 5)
            $0.bind(record.coreType, at: 6)
            $0.bind(record.overall, at: 7)
            $0.bind(record.key, at: 8)
            $0.bind(record.appKey, at: 9)
            $0.bind(record.upstreamKey, at: 10)
            $0.bind(record.createdAt, at: 11)
        }
    }
}

extension KeyRow {
    /// The row of a claim that is answered now.
    fileprivate init(_ claim: NewClaim, row: ClaimedRow, answer: StoredAnswer) {
        self.init(
            id: row.id,
            scope: claim.scope,
            client: claim.client,
            user: claim.user,
            key: claim.key,
            operation: claim.operation,
            fingerprint: claim.fingerprint,
            appKey: row.appKey,
            upstreamKey: row.upstreamKey,
            firstSentAt: row.firstSentAt,
            flight: nil,
            isUnresolved: false,
            isSettledBilled: false,
            answer: answer
        )
    }
}

extension RecordRow {
    /// The record of an answered key.
    fileprivate init(_ new: NewRecord, of key: KeyRow, answer: StoredAnswer) {
        self.init(
            id: key.id,
            recordID: new.recordID,
            client: key.client,
            user: key.user,
            operation: key.operation,
            coreType: new.coreType,
            overall: new.overall,
            createdAt: answer.answeredAt,
            key: key.key,
            appKey: key.appKey,
            upstreamKey: key.upstreamKey,
            answer: answer
        )
    }
}
