extension WriterConnection {
    /// Stores an answer and its record, if the row still carries the answer's flight.
    func complete(_ new: NewAnswer) throws(StoreError) -> Bool {
        let open = try self.statements.endClaim.first {
            $0.bind(new.row, at: 1)
            $0.bind(new.flight, at: 2)
        } reading: {
            $0.claimState(at: 0)
        }
        guard let open else {
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
        let key = try self.readKey(new.row, fingerprint: new.fingerprint, answer: answer)
        guard let key else {
            throw StoreError(code: .corrupt, message: "the store has a claim without its key; restore a backup")
        }
        try self.insert(answer, row: new.row, fingerprint: new.fingerprint)
        let record = new.record.map { RecordRow($0, of: key, answer: answer) }
        if let record {
            try self.insert(record)
        }
        self.counts[keyPath: open.counter] -= 1
        self.counts.answered += 1
        self.effects.append(.fill(key, record))
        return true
    }

    private func readKey(_ id: Int64, fingerprint: [UInt8], answer: StoredAnswer) throws(StoreError) -> KeyRow? {
        try self.statements.readKey.first {
            $0.bind(id, at: 1)
        } reading: {
            KeyRow(
                id: id,
                scope: $0.scope(at: 0),
                client: $0.text(at: 1),
                user: $0.optionalText(at: 2),
                key: $0.text(at: 3),
                operation: $0.text(at: 4),
                fingerprint: fingerprint,
                appKey: $0.text(at: 5),
                upstreamKey: $0.text(at: 6),
                firstSentAt: $0.integer(at: 7),
                flight: nil,
                isUnresolved: false,
                isSettledBilled: false,
                answer: answer
            )
        }
    }

    private func insert(_ answer: StoredAnswer, row: Int64, fingerprint: [UInt8]) throws(StoreError) {
        // The body is lent to SQLite, not copied.
        try answer.body.withUnsafeBufferPointer { (body) throws(StoreError) in
            try self.statements.insertAnswer.run {
                $0.bind(row, at: 1)
                $0.bind(fingerprint, at: 2)
                $0.bind(answer.status, at: 3)
                $0.bind(answer.platformCode.map(Int64.init), at: 4)
                $0.bind(answer.contentType, at: 5)
                $0.bind(answer.recordID, at: 6)
                $0.bind(answer.answeredAt, at: 7)
                $0.bind(borrowing: body, at: 8)
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
