import Store
import TestSupport
import Testing

@Suite struct AnswerCacheTests {
    let directory: TemporaryDirectory

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    private func isCached(_ number: UInt64, in store: Store) throws -> Bool {
        let before = store.statistics.cacheHits
        _ = try #require(try store.lookUp(ScopeHash(0x5EED, number)))
        return store.statistics.cacheHits == before + 1
    }

    @Test func answeringFillsIt() async throws {
        let store = try Store.open(in: self.directory)
        try await store.answer(1)
        #expect(try self.isCached(1, in: store))
        let before = store.statistics.cacheHits
        _ = try store.record("rec-1", client: "app", user: "anna")
        #expect(store.statistics.cacheHits == before + 1)
    }

    @Test func readingFillsIt() async throws {
        let first = try Store.open(in: self.directory)
        try await first.answer(1)
        await first.close()
        let store = try Store.open(in: self.directory)
        #expect(try !self.isCached(1, in: store))
        #expect(try self.isCached(1, in: store))
    }

    @Test func keysWithoutAnswerAreNeverCached() async throws {
        let store = try Store.open(in: self.directory)
        _ = try await store.claim(.sample(1))
        #expect(try !self.isCached(1, in: store))
        #expect(try !self.isCached(1, in: store))
        #expect(store.statistics.cachedBytes == 0)
    }

    @Test func theLeastRecentlyUsedGoesFirst() async throws {
        // Room for five answers of this size with what is counted for each.
        let store = try Store.open(in: self.directory) { $0.answerCacheSize = 5 * 12_000 }
        let body = [UInt8](repeating: 0x61, count: 11_000)
        for number in 1...5 as ClosedRange<UInt64> {
            try await store.answer(number, body: body)
        }
        #expect(try self.isCached(1, in: store))
        try await store.answer(6, body: body)
        #expect(try self.isCached(1, in: store))
        #expect(try self.isCached(3, in: store))
        #expect(try self.isCached(6, in: store))
        #expect(try !self.isCached(2, in: store))
    }

    @Test func sizeIsBounded() async throws {
        let store = try Store.open(in: self.directory) { $0.answerCacheSize = 100_000 }
        for number in 0..<200 as Range<UInt64> {
            try await store.answer(number, body: [UInt8](repeating: 0x61, count: 10 * Int(number)))
            #expect(store.statistics.cachedBytes <= 100_000)
        }
        #expect(store.statistics.cachedBytes > 50_000)
        for number in 0..<200 as Range<UInt64> {
            #expect(try store.lookUp(ScopeHash(0x5EED, number))?.answer?.body.count == 10 * Int(number))
            #expect(store.statistics.cachedBytes <= 100_000)
        }
    }

    @Test func oneLargeAnswerDoesNotDriveOutTheOthers() async throws {
        let store = try Store.open(in: self.directory) { $0.answerCacheSize = 100_000 }
        try await store.answer(1)
        try await store.answer(2, body: [UInt8](repeating: 0x61, count: 60_000))
        #expect(try self.isCached(1, in: store))
        #expect(try !self.isCached(2, in: store))
        #expect(try store.lookUp(ScopeHash(0x5EED, 2))?.answer?.body.count == 60_000)
    }

    @Test func sizeZeroKeepsNothing() async throws {
        let store = try Store.open(in: self.directory) { $0.answerCacheSize = 0 }
        try await store.answer(1)
        #expect(try !self.isCached(1, in: store))
        #expect(store.statistics.cachedBytes == 0)
    }

    @Test func expiredAnswersLeaveIt() async throws {
        let store = try Store.open(in: self.directory)
        try await store.answer(1)
        _ = try store.record("rec-1", client: "app", user: nil)
        _ = try await store.expire(now: someDay + 91 * day)
        #expect(try store.lookUp(ScopeHash(0x5EED, 1)) == nil)
        #expect(try store.record("rec-1", client: "app", user: nil) == nil)
        #expect(store.statistics.cachedBytes == 0)
    }

    /// The platform can take the calls of two owners for one, and give both the same record id.
    @Test func aReportDoesNotStandBesideAnothersAnswer() async throws {
        let store = try Store.open(in: self.directory)
        try await store.answer(1)
        let claim = NewClaim.sample(2, client: "other", user: "ben")
        let row = try await store.claim(claim)
        let record = NewRecord(recordID: "rec-1")
        #expect(try await store.complete(.sample(2, row: row, claim: claim, record: record)))
        _ = try store.record("rec-1", client: "app", user: "anna")
        #expect(try store.report("rec-1", client: "other", user: "ben") != nil)
        let erasure = NewErasure(client: "other", user: "ben", actor: "test", flights: nil, requestedAt: someDay)
        _ = try await store.beginErasure(erasure)
        #expect(try store.report("rec-1", client: "other", user: "ben") == nil)
        #expect(try store.report("rec-1", client: "app", user: "anna") != nil)
        #expect(try store.record("rec-1", client: "app", user: "anna") != nil)
    }

    /// Readers race the sweep; none may put an answer back behind it.
    @Test func nothingComesBackBehindASweep() async throws {
        let store = try Store.open(in: self.directory) { $0.answerCacheSize = 1 << 20 }
        for round in 0..<20 as Range<UInt64> {
            let numbers = round * 10..<round * 10 + 10
            for number in numbers {
                try await store.answer(number, body: [UInt8](repeating: 0x61, count: 5_000))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in numbers {
                    group.addTask {
                        for _ in 0..<20 {
                            _ = try store.lookUp(ScopeHash(0x5EED, number))
                            _ = try store.record("rec-\(number)", client: "app", user: nil)
                            await Task.yield()
                        }
                    }
                }
                _ = try await store.expire(now: someDay + 91 * day)
                try await group.waitForAll()
            }
            for number in numbers {
                #expect(try store.lookUp(ScopeHash(0x5EED, number)) == nil)
                #expect(try store.record("rec-\(number)", client: "app", user: nil) == nil)
            }
        }
        #expect(store.statistics.cachedBytes == 0)
    }
}
