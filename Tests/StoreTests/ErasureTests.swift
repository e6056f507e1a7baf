import Store
import TestSupport
import Testing

@Suite struct ErasureTests {
    let directory: TemporaryDirectory
    let store: Store

    init() throws {
        self.directory = try TemporaryDirectory()
        self.store = try Store.open(in: self.directory) { $0.idleDelay = .milliseconds(5) }
    }

    private func claim(_ number: UInt64, user: String?, client: String = "app") async throws -> ClaimedRow {
        try await self.store.claim(.sample(number, client: client, user: user))
    }

    private func answer(_ number: UInt64, user: String?, client: String = "app", body: [UInt8]? = nil) async throws {
        let row = try await self.claim(number, user: user, client: client)
        let claim = NewClaim.sample(number, client: client, user: user)
        _ = try await self.store.complete(.sample(number, row: row, claim: claim, body: body))
    }

    private func erase(
        _ user: String,
        last: UInt64 = 0,
        limit: Int = 64,
        in store: Store? = nil
    ) async throws -> ErasureProgress {
        let store = store ?? self.store
        let new = NewErasure(
            client: "app",
            user: user,
            actor: "operator",
            flights: FlightID(process: 7, serial: last)...FlightID(process: 7, serial: last),
            requestedAt: someDay
        )
        let id = try await store.beginErasure(new)
        while true {
            let progress = try await store.continueErasure(id, now: someDay, limit: limit)
            if progress.isComplete { return progress }
        }
    }

    private func scope(_ number: UInt64) -> ScopeHash { ScopeHash(0x5EED, number) }

    private func rows(_ table: String, in store: Store? = nil) async throws -> Int64? {
        try await (store ?? self.store).administer("SELECT COUNT(*) FROM \(table)")
    }

    @Test(arguments: [1, 2, 64]) func allOfOneUserGoesAndNothingElse(limit: Int) async throws {
        for number in 1...5 as ClosedRange<UInt64> { try await self.answer(number, user: "anna") }
        try await self.answer(6, user: "ben")
        try await self.answer(7, user: nil)
        try await self.answer(8, user: "anna", client: "other")
        // Found in memory, if erasing forgot to look there.
        _ = try self.store.lookUp(self.scope(1))
        let progress = try await self.erase("anna", limit: limit)
        #expect(progress.counts.keys == 5 && progress.counts.records == 5 && progress.counts.answers == 5)
        #expect(progress.counts.openCalls == 0)
        for number in 1...5 as ClosedRange<UInt64> {
            #expect(try self.store.lookUp(self.scope(number)) == nil)
            #expect(try self.store.isErased(self.scope(number)))
            #expect(try self.store.record("rec-\(number)", client: "app", user: nil) == nil)
        }
        for number in 6...8 as ClosedRange<UInt64> {
            #expect(try self.store.lookUp(self.scope(number))?.answer != nil)
            #expect(try !self.store.isErased(self.scope(number)))
        }
        #expect(try await self.rows("answers") == 3)
        #expect(self.store.claimCounts().answered == 3)
        #expect(try await self.store.pendingErasures().isEmpty)
    }

    @Test func anErasedKeyIsNotClaimedAgainUntilItsRetentionEnds() async throws {
        try await self.answer(1, user: "anna")
        _ = try await self.erase("anna")
        let error = await storeError { _ = try await self.claim(1, user: "anna") }
        #expect(error?.code == .erased)
        _ = try await self.store.expire(now: someDay + 7 * day)
        #expect(try self.store.isErased(self.scope(1)))
        _ = try await self.store.expire(now: someDay + 7 * day + hour)
        #expect(try !self.store.isErased(self.scope(1)))
        #expect(try await self.claim(1, user: "anna").isNew)
    }

    @Test func ofARunningCallNothingIsStored() async throws {
        let row = try await self.claim(1, user: "anna")
        let progress = try await self.erase("anna")
        #expect(progress.counts.openCalls == 1 && progress.counts.keys == 1)
        #expect(try await !self.store.complete(.sample(1, row: row)))
        for table in ["keys", "claims", "answers", "records"] { #expect(try await self.rows(table) == 0) }
        #expect(self.store.claimCounts() == ClaimCounts())
    }

    @Test func aFlightThatBeganBeforeGetsNoRowAfterwards() async throws {
        _ = try await self.erase("anna", last: 5)
        let early = await storeError { _ = try await self.claim(5, user: "anna") }
        #expect(early?.code == .erased)
        #expect(try await self.claim(6, user: "anna").isNew)
        #expect(try await self.claim(4, user: "ben").isNew)
    }

    @Test func callsThatBeginMeanwhileAreSpared() async throws {
        for number in 1...3 as ClosedRange<UInt64> { try await self.answer(number, user: "anna") }
        let new = NewErasure(client: "app", user: "anna", actor: "app", flights: nil, requestedAt: someDay)
        let id = try await self.store.beginErasure(new)
        try await self.answer(9, user: "anna")
        var progress = try await self.store.continueErasure(id, now: someDay, limit: 1)
        while !progress.isComplete { progress = try await self.store.continueErasure(id, now: someDay, limit: 1) }
        #expect(progress.counts.keys == 3)
        #expect(try self.store.lookUp(self.scope(9))?.answer != nil)
    }

    @Test func whatIsBeingErasedIsNotReadAnyMore() async throws {
        for number in 1...5 as ClosedRange<UInt64> { try await self.answer(number, user: "anna") }
        try await self.answer(6, user: "ben")
        _ = try await self.claim(7, user: "anna")
        let new = NewErasure(client: "app", user: "anna", actor: "app", flights: nil, requestedAt: someDay)
        let id = try await self.store.beginErasure(new)
        func look(_ store: Store) throws {
            for number in 1...5 as ClosedRange<UInt64> {
                #expect(try store.lookUp(self.scope(number)) == nil && store.isErased(self.scope(number)))
                #expect(try store.record("rec-\(number)", client: "app", user: nil) == nil)
                #expect(try store.report("rec-\(number)", client: "app", user: nil) == nil)
            }
            #expect(try store.records(RecordFilter(client: "app"), limit: 10).map(\.user) == ["ben"])
            #expect(try store.openClaims().isEmpty)
            #expect(try store.lookUp(self.scope(6))?.answer != nil)
        }
        try look(self.store)
        #expect(try await self.store.continueErasure(id, now: someDay, limit: 2).isComplete == false)
        try look(self.store)
        #expect(await storeError { _ = try await self.claim(5, user: "anna") }?.code == .erased)
        let filter = UsageFilter(client: "app", time: 0..<Int64.max)
        #expect(try await self.store.usage(filter, by: .user, limit: 9).map(\.group) == ["", "ben"])
        // It holds from the disk too, and later calls of the user are its own.
        await self.store.close()
        let store = try Store.open(in: self.directory)
        try look(store)
        _ = try await store.claim(.sample(9, user: "anna"))
        #expect(try store.lookUp(self.scope(9)) != nil)
        await store.close()
    }

    @Test func aRestartGoesOnWhereItWas() async throws {
        for number in 1...5 as ClosedRange<UInt64> { try await self.answer(number, user: "anna") }
        let new = NewErasure(client: "app", user: "anna", actor: "app", flights: nil, requestedAt: someDay)
        let id = try await self.store.beginErasure(new)
        #expect(try await !self.store.continueErasure(id, now: someDay, limit: 2).isComplete)
        await self.store.close()
        let store = try Store.open(in: self.directory)
        #expect(try await store.pendingErasures() == [id])
        let end = try await store.continueErasure(id, now: someDay)
        #expect(end.isComplete && end.counts.keys == 5 && end.counts.records == 5)
        #expect(try await self.rows("answers", in: store) == 0)
        // Whoever comes after the end learns the same.
        #expect(try await store.continueErasure(id, now: someDay) == end)
    }

    /// Anybody can make up names: a thousand of them leave nothing behind.
    @Test func aUserWhoNeverWasLeavesNoTrace() async throws {
        for number in 0..<10 {
            let progress = try await self.erase("nobody-\(number)")
            #expect(progress.isComplete && progress.counts == ErasedCounts())
        }
        for table in ["erasures", "audit", "erased_keys"] { #expect(try await self.rows(table) == 0, "\(table)") }
        try await self.answer(1, user: "anna")
        _ = try await self.erase("anna")
        #expect(try await self.rows("audit") == 1)
    }

    @Test func oneRecordGoesWithItsKeyAndIsAudited() async throws {
        try await self.answer(1, user: "anna")
        try await self.answer(2, user: "anna")
        #expect(try await self.store.eraseRecord("rec-1", client: "other", user: nil, by: "x", now: someDay) == nil)
        #expect(try await self.store.eraseRecord("rec-1", client: "app", user: "ben", by: "x", now: someDay) == nil)
        let counts = try await self.store.eraseRecord("rec-1", client: "app", user: nil, by: "app", now: someDay)
        #expect(counts?.keys == 1 && counts?.records == 1 && counts?.answers == 1)
        #expect(try self.store.isErased(self.scope(1)))
        #expect(try self.store.record("rec-2", client: "app", user: nil) != nil)
        let entry = "SELECT COUNT(*) FROM audit WHERE actor = 'app' AND action = 'erase record' AND records = 1"
        #expect(try await self.store.administer(entry) == 1)
        #expect(try await self.rows("audit") == 1)
        _ = try await self.store.expire(now: someDay + 401 * day)
        #expect(try await self.rows("audit") == 0)
    }

    @Test func aRecordWhoseKeyExpiredGoesToo() async throws {
        try await self.answer(1, user: "anna")
        _ = try await self.store.expire(now: someDay + 8 * day)
        let progress = try await self.erase("anna")
        #expect(progress.counts.keys == 0 && progress.counts.records == 1 && progress.counts.answers == 1)
    }

    @Test func nothingOfItStaysOnDisk() async throws {
        let secret = Array("my name is Wolkenstein".utf8)
        try await self.answer(1, user: "Wolkenstein-7", body: secret)
        _ = try await self.erase("Wolkenstein-7")
        try await until(within: .seconds(20)) { try self.directory.size(of: "speechgate.db-wal") == 0 }
        for name in ["speechgate.db", "speechgate.db-wal"] {
            let text = String(decoding: try self.directory.contents(of: name), as: UTF8.self)
            #expect(!text.contains("Wolkenstein"))
        }
    }
}
