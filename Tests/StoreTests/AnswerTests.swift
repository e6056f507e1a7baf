import Store
import Testing

@Suite struct AnswerTests {
    let directory: TemporaryDirectory
    let store: Store

    init() throws {
        self.directory = try TemporaryDirectory()
        self.store = try Store.open(in: self.directory)
    }

    /// The same question twice: from memory, and from the file after reopening.
    private func fromMemoryAndFile(_ check: (Store) throws -> Void) async throws {
        try check(self.store)
        await self.store.close()
        let again = try Store.open(in: self.directory)
        try check(again)
        await again.close()
    }

    @Test(arguments: [0, 1, 400, 4096, 24_000, 300_000])
    func bodyComesBackByteForByte(size: Int) async throws {
        let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        try await self.store.answer(1, body: body)
        try await self.fromMemoryAndFile { store in
            let row = try #require(try store.lookUp(ScopeHash(0x5EED, 1)))
            let answer = try #require(row.answer)
            #expect(answer.body == body)
            #expect(answer.status == 200)
            #expect(answer.contentType == "application/json")
            #expect(answer.recordID == "rec-1")
            #expect(answer.platformCode == 0)
            #expect(answer.answeredAt == someDay + 900)
            #expect(row.flight == nil)
            #expect(row.key == "key-1")
            #expect(row.user == "anna")
            #expect(row.upstreamKey == "upstream-1")
            #expect(row.firstSentAt == someDay)
        }
    }

    @Test func answerReplacesTheFingerprintAndEndsUnresolved() async throws {
        let row = try await self.store.claim(.sample(1, fingerprint: 1))
        try await self.store.markUnresolved(row: row.id, flight: FlightID(process: 7, serial: 1))
        _ = try await self.store.claim(.sample(1, fingerprint: 2, flight: 2))
        #expect(try await self.store.complete(.sample(1, row: row.id, flight: 2, fingerprint: 2)))
        try await self.fromMemoryAndFile { store in
            let answered = try #require(try store.lookUp(ScopeHash(0x5EED, 1)))
            #expect(answered.fingerprint == [UInt8](repeating: 2, count: 32))
            #expect(!answered.isUnresolved)
        }
    }

    @Test func answerOfALostFlightIsNotStored() async throws {
        let row = try await self.store.claim(.sample(1))
        _ = try await self.store.claim(.sample(1, flight: 2))
        #expect(try await !self.store.complete(.sample(1, row: row.id, flight: 1)))
        #expect(try self.store.lookUp(ScopeHash(0x5EED, 1))?.answer == nil)
        #expect(try self.store.record("rec-1", client: "app", user: nil) == nil)
        #expect(try await self.store.complete(.sample(1, row: row.id, flight: 2)))
    }

    @Test func secondAnswerIsNotStored() async throws {
        let row = try await self.store.claim(.sample(1))
        #expect(try await self.store.complete(.sample(1, row: row.id, body: [1])))
        #expect(try await !self.store.complete(.sample(1, row: row.id, body: [2])))
        #expect(try self.store.lookUp(ScopeHash(0x5EED, 1))?.answer?.body == [1])
    }

    @Test func answerOfADeletedRowIsNotStored() async throws {
        let row = try await self.store.claim(.sample(1))
        _ = try await self.store.settle(ScopeHash(0x5EED, 1), billed: false)
        #expect(try await !self.store.complete(.sample(1, row: row.id)))
        #expect(try self.store.record("rec-1", client: "app", user: nil) == nil)
    }

    @Test func recordPointsAtTheAnswer() async throws {
        let claimed = try await self.store.answer(1, body: Array("paid".utf8))
        try await self.fromMemoryAndFile { store in
            let record = try #require(try store.record("rec-1", client: "app", user: "anna"))
            #expect(record.id == claimed.id)
            #expect(record.recordID == "rec-1")
            #expect(record.client == "app")
            #expect(record.user == "anna")
            #expect(record.operation == "evaluate")
            #expect(record.coreType == "en.sent.score")
            #expect(record.overall == 87.5)
            #expect(record.createdAt == someDay + 900)
            #expect(record.key == "key-1")
            #expect(record.appKey == "account-1")
            #expect(record.upstreamKey == "upstream-1")
            #expect(record.answer.body == Array("paid".utf8))
            #expect(record.answer.contentType == "application/json")
        }
    }

    @Test func answerWithoutRecordHasNone() async throws {
        let row = try await self.store.claim(.sample(1))
        var answer = NewAnswer.sample(1, row: row.id)
        answer.record = nil
        answer.platformCode = nil
        #expect(try await self.store.complete(answer))
        try await self.fromMemoryAndFile { store in
            let stored = try #require(try store.lookUp(ScopeHash(0x5EED, 1))?.answer)
            #expect(stored.recordID == nil)
            #expect(stored.platformCode == nil)
        }
    }

    @Test func recordWithoutScoreHasNone() async throws {
        let row = try await self.store.claim(.sample(1, user: nil))
        _ = try await self.store.complete(.sample(1, row: row.id, record: NewRecord(recordID: "bare")))
        try await self.fromMemoryAndFile { store in
            let record = try #require(try store.record("bare", client: "app", user: nil))
            #expect(record.overall == nil)
            #expect(record.coreType == nil)
            #expect(record.user == nil)
        }
    }

    @Test func recordsAreSeenByTheirOwnersOnly() async throws {
        try await self.store.answer(1)
        let row = try await self.store.claim(.sample(2, user: nil))
        _ = try await self.store.complete(.sample(2, row: row.id))
        try await self.fromMemoryAndFile { store in
            #expect(try store.record("rec-1", client: "app", user: "anna") != nil)
            #expect(try store.record("rec-1", client: "app", user: nil) != nil)
            #expect(try store.record("rec-1", client: "app", user: "ben") == nil)
            #expect(try store.record("rec-1", client: "other", user: nil) == nil)
            #expect(try store.record("rec-1", client: "other", user: "anna") == nil)
            // A record without a user is the client's alone.
            #expect(try store.record("rec-2", client: "app", user: "anna") == nil)
            #expect(try store.record("rec-2", client: "app", user: nil) != nil)
            let owner = try #require(try store.recordOwner("rec-1", client: "app", user: "anna"))
            #expect(owner.client == "app")
            #expect(owner.user == "anna")
            #expect(owner.operation == "evaluate")
            #expect(owner.appKey == "account-1")
            #expect(try store.recordOwner("rec-1", client: "app", user: "ben") == nil)
            #expect(try store.recordOwner("rec-1", client: "other", user: nil) == nil)
        }
    }

    @Test func oneRecordIDUnderTwoClientsIsTwoRecords() async throws {
        for (number, client) in [(1, "app"), (2, "other")] as [(UInt64, String)] {
            let row = try await self.store.claim(.sample(number, client: client))
            let record = NewRecord(recordID: "shared")
            _ = try await self.store.complete(
                .sample(number, row: row.id, body: Array(client.utf8), record: record)
            )
        }
        try await self.fromMemoryAndFile { store in
            for client in ["app", "other", "app"] {
                let record = try #require(try store.record("shared", client: client, user: nil))
                #expect(record.answer.body == Array(client.utf8))
            }
        }
    }
}
