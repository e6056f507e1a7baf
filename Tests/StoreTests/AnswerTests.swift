import Store
import TestSupport
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

    @Test func textTakesLessRoomThanItHasBytesAndNoiseNoMore() async throws {
        let text = Array(String(repeating: #"{"word":"good","scores":{"overall":87}},"#, count: 600).utf8)
        let noise = noise(30_000)
        for (number, body) in [(1, text), (2, noise)] as [(UInt64, [UInt8])] {
            try await self.store.answer(number, body: body)
            let stored = try await self.store.administer("SELECT length(body) FROM answers ORDER BY id DESC LIMIT 1")
            let size = try #require(stored)
            #expect(number == 1 ? size < text.count / 5 : size == noise.count)
        }
        try await self.fromMemoryAndFile { store in
            for (number, body) in [(1, text), (2, noise)] as [(UInt64, [UInt8])] {
                let key = try store.lookUp(ScopeHash(0x5EED, number))
                #expect(key?.answer?.body == body)
                let record = try store.record("rec-\(number)", client: "app", user: nil)
                #expect(record?.answer.body == body)
            }
        }
    }

    @Test(arguments: [
        // A byte in the middle, the size in the frame's header, a tail that is missing, no frame at all.
        "substr(body, 1, 40) || x'FF' || substr(body, 42)", "substr(body, 1, 5) || x'FFFFFF' || substr(body, 9)",
        "substr(body, 1, length(body) - 3)", "x''", "x'7B7D'",
    ])
    func aDamagedAnswerIsNeverGivenOut(damage: String) async throws {
        let body = (0..<3000).flatMap { Array("{\"n\":\($0)}".utf8) }
        try await self.store.answer(1, body: body)
        try await self.store.administer("UPDATE answers SET body = \(damage)")
        await self.store.close()
        let again = try Store.open(in: self.directory)
        let error = #expect(throws: StoreError.self) { () throws -> Void in _ = try again.lookUp(ScopeHash(0x5EED, 1)) }
        #expect(error?.code == .corrupt)
        #expect(throws: StoreError.self) { () throws -> Void in
            _ = try again.record("rec-1", client: "app", user: nil)
        }
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
        #expect(try await self.store.complete(.sample(1, row: row, flight: 2, fingerprint: 2)))
        try await self.fromMemoryAndFile { store in
            let answered = try #require(try store.lookUp(ScopeHash(0x5EED, 1)))
            #expect(answered.fingerprint == [UInt8](repeating: 2, count: 32))
            #expect(!answered.isUnresolved)
        }
    }

    @Test func answerOfALostFlightIsNotStored() async throws {
        let row = try await self.store.claim(.sample(1))
        _ = try await self.store.claim(.sample(1, flight: 2))
        #expect(try await !self.store.complete(.sample(1, row: row, flight: 1)))
        #expect(try self.store.lookUp(ScopeHash(0x5EED, 1))?.answer == nil)
        #expect(try self.store.record("rec-1", client: "app", user: nil) == nil)
        #expect(try await self.store.complete(.sample(1, row: row, flight: 2)))
    }

    @Test func secondAnswerIsNotStored() async throws {
        let row = try await self.store.claim(.sample(1))
        #expect(try await self.store.complete(.sample(1, row: row, body: [1])))
        #expect(try await !self.store.complete(.sample(1, row: row, body: [2])))
        #expect(try self.store.lookUp(ScopeHash(0x5EED, 1))?.answer?.body == [1])
    }

    @Test func answerOfADeletedRowIsNotStored() async throws {
        let row = try await self.store.claim(.sample(1))
        _ = try await self.store.settle(ScopeHash(0x5EED, 1), billed: false)
        #expect(try await !self.store.complete(.sample(1, row: row)))
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
        var answer = NewAnswer.sample(1, row: row)
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
        let claim = NewClaim.sample(1, user: nil)
        let row = try await self.store.claim(claim)
        let record = NewRecord(recordID: "bare")
        _ = try await self.store.complete(.sample(1, row: row, claim: claim, record: record))
        try await self.fromMemoryAndFile { store in
            let record = try #require(try store.record("bare", client: "app", user: nil))
            #expect(record.overall == nil)
            #expect(record.coreType == nil)
            #expect(record.user == nil)
        }
    }

    @Test func recordsAreSeenByTheirOwnersOnly() async throws {
        try await self.store.answer(1)
        let claim = NewClaim.sample(2, user: nil)
        let row = try await self.store.claim(claim)
        _ = try await self.store.complete(.sample(2, row: row, claim: claim))
        try await self.fromMemoryAndFile { (store) throws in
            #expect(try store.record("rec-1", client: "app", user: "anna") != nil)
            #expect(try store.record("rec-1", client: "app", user: nil) != nil)
            #expect(try store.record("rec-1", client: "app", user: "ben") == nil)
            #expect(try store.record("rec-1", client: "other", user: nil) == nil)
            #expect(try store.record("rec-1", client: "other", user: "anna") == nil)
            // A record without a user is the client's alone.
            #expect(try store.record("rec-2", client: "app", user: "anna") == nil)
            #expect(try store.record("rec-2", client: "app", user: nil) != nil)
        }
    }

    @Test func oneRecordIDUnderTwoClientsIsTwoRecords() async throws {
        for (number, client) in [(1, "app"), (2, "other")] as [(UInt64, String)] {
            let claim = NewClaim.sample(number, client: client)
            let row = try await self.store.claim(claim)
            let record = NewRecord(recordID: "shared")
            _ = try await self.store.complete(
                .sample(number, row: row, claim: claim, body: Array(client.utf8), record: record)
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
