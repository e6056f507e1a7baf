import Store
import TestSupport
import Testing

/// Keys 7 days from their answer, records 90 days, keys without answer 30 days: the defaults.
@Suite struct RetentionTests {
    let directory: TemporaryDirectory
    let store: Store

    init() throws {
        self.directory = try TemporaryDirectory()
        self.store = try Store.open(in: self.directory) { $0.idleDelay = .milliseconds(5) }
    }

    /// Calls until nothing older is left, and sums up.
    @discardableResult
    private func expireAll(_ store: Store? = nil, now: Int64, limit: Int = 64) async throws -> Expiry {
        var sum = Expiry()
        for _ in 0..<1_000 {
            let step = try await (store ?? self.store).expire(now: now, limit: limit)
            sum.keys += step.keys
            sum.unknown += step.unknown
            sum.records += step.records
            if step.isComplete {
                sum.isComplete = true
                break
            }
        }
        return sum
    }

    private func isKnown(_ number: UInt64) throws -> Bool {
        try self.store.lookUp(ScopeHash(0x5EED, number)) != nil
    }

    private func hasRecord(_ number: UInt64) throws -> Bool {
        try self.store.record("rec-\(number)", client: "app", user: nil) != nil
    }

    @Test func nothingYoungIsDeleted() async throws {
        try await self.store.answer(1)
        _ = try await self.store.claim(.sample(2))
        let expiry = try await self.expireAll(now: someDay + 7 * day)
        #expect(expiry.keys + expiry.unknown + expiry.records == 0)
        #expect(expiry.isComplete)
        #expect(try self.isKnown(1))
        #expect(try self.isKnown(2))
    }

    @Test func answeredKeyGoesAfterAWeekAndItsRecordStays() async throws {
        try await self.store.answer(1, body: Array("paid".utf8))
        let expiry = try await self.expireAll(now: someDay + 7 * day + hour)
        #expect(expiry.keys == 1)
        #expect(expiry.records == 0)
        #expect(try !self.isKnown(1))
        let record = try #require(try self.store.record("rec-1", client: "app", user: "anna"))
        #expect(record.answer.body == Array("paid".utf8))
        #expect(self.store.claimCounts().answered == 0)
        // The key is free again.
        #expect(try await self.store.claim(.sample(1, at: someDay + 8 * day)).isNew)
    }

    @Test func recordGoesAfterNinetyDaysWithTheAnswer() async throws {
        try await self.store.answer(1)
        try await self.expireAll(now: someDay + 89 * day)
        #expect(try self.hasRecord(1))
        let expiry = try await self.expireAll(now: someDay + 90 * day + hour)
        #expect(expiry.records == 1)
        #expect(try !self.hasRecord(1))
        #expect(try await self.rows("answers") == 0)
    }

    @Test func keyOutlivesItsRecordWithTheAnswer() async throws {
        await self.store.close()
        let store = try Store.open(in: self.directory) {
            $0.keyRetention = .seconds(7 * 86_400)
            $0.recordRetention = .seconds(86_400)
        }
        try await store.answer(1, body: Array("paid".utf8))
        let early = try await self.expireAll(store, now: someDay + 2 * day)
        #expect(early.records == 1)
        #expect(try store.record("rec-1", client: "app", user: nil) == nil)
        #expect(try store.lookUp(ScopeHash(0x5EED, 1))?.answer?.body == Array("paid".utf8))
        try await self.expireAll(store, now: someDay + 8 * day)
        #expect(try store.lookUp(ScopeHash(0x5EED, 1)) == nil)
        #expect(try await self.rows("answers", in: store) == 0)
    }

    @Test func keyWithoutAnswerStaysThirtyDays() async throws {
        let row = try await self.store.claim(.sample(1))
        try await self.store.markUnresolved(row: row.id, flight: FlightID(process: 7, serial: 1))
        _ = try await self.store.claim(.sample(2))
        _ = try await self.store.settle(ScopeHash(0x5EED, 2), billed: true)
        try await self.expireAll(now: someDay + 30 * day)
        #expect(try self.isKnown(1))
        #expect(try self.isKnown(2))
        let expiry = try await self.expireAll(now: someDay + 30 * day + hour)
        #expect(expiry.unknown == 2)
        #expect(try !self.isKnown(1))
        #expect(self.store.claimCounts() == ClaimCounts())
        #expect(try await self.rows("claims") == 0)
        // The flight that comes back finds nothing to answer.
        #expect(try await !self.store.complete(.sample(1, row: row)))
    }

    @Test func aWeekCountsFromTheAnswer() async throws {
        let row = try await self.store.claim(.sample(1))
        _ = try await self.store.complete(.sample(1, row: row, at: someDay + 6 * day))
        try await self.expireAll(now: someDay + 12 * day)
        #expect(try self.isKnown(1))
        try await self.expireAll(now: someDay + 13 * day + hour)
        #expect(try !self.isKnown(1))
    }

    @Test func stepsAreSmallAndPassWhatMustStay() async throws {
        // Ten keys without an answer stand before twenty answered ones.
        for number in 0..<10 as Range<UInt64> {
            _ = try await self.store.claim(.sample(number))
        }
        for number in 10..<30 as Range<UInt64> {
            try await self.store.answer(number, at: someDay + Int64(number))
        }
        let first = try await self.store.expire(now: someDay + 8 * day, limit: 4)
        #expect(first.keys == 0)
        #expect(!first.isComplete)
        let rest = try await self.expireAll(now: someDay + 8 * day, limit: 4)
        #expect(rest.keys == 20)
        #expect(rest.isComplete)
        #expect(self.store.claimCounts().sent == 10)
        // The next sweep starts from the front again.
        #expect(try await self.expireAll(now: someDay + 31 * day, limit: 4).unknown == 10)
    }

    @Test func keysOfOneMomentAreAllSwept() async throws {
        for number in 0..<20 as Range<UInt64> {
            try await self.store.answer(number)
        }
        #expect(try await self.expireAll(now: someDay + 8 * day, limit: 3).keys == 20)
    }

    @Test func deletedContentLeavesTheDisk() async throws {
        let secret = Array("the child said: my name is Wolkenstein".utf8)
        try await self.store.answer(1, body: secret + [UInt8](repeating: 0x20, count: 30_000) + secret)
        #expect(try self.isOnDisk(secret))
        try await self.expireAll(now: someDay + 91 * day)
        // The log is emptied when the writer is idle.
        try await until(within: .seconds(20)) { try self.directory.size(of: "speechgate.db-wal") == 0 }
        #expect(try !self.isOnDisk(secret))
        #expect(try await self.store.claim(.sample(2)).isNew)
    }

    @Test func freedPagesAreGivenBack() async throws {
        let body = noise(1 << 20)
        for number in 0..<40 as Range<UInt64> {
            try await self.store.answer(number, body: body)
        }
        try await self.expireAll(now: someDay + 91 * day, limit: 8)
        for _ in 0..<200 {
            _ = try await self.store.expire(now: someDay + 91 * day)
        }
        await self.store.close()
        // 40 MB were written; a quarter free, or 16 MiB, is left for reuse.
        #expect(try self.directory.size(of: "speechgate.db") < 24 << 20)
    }

    private func isOnDisk(_ text: [UInt8]) throws -> Bool {
        for name in ["speechgate.db", "speechgate.db-wal"] {
            let bytes = try self.directory.contents(of: name)
            var index = 0
            while index + text.count <= bytes.count {
                if bytes[index] == text[0] && bytes[index..<index + text.count].elementsEqual(text) {
                    return true
                }
                index += 1
            }
        }
        return false
    }

    /// How many rows a table has: tells whether anything was left behind that no question finds.
    private func rows(_ table: String, in store: Store? = nil) async throws -> Int64? {
        try await (store ?? self.store).administer("SELECT COUNT(*) FROM \(table)")
    }
}
