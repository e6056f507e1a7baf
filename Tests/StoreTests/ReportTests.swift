import Store
import TestSupport
import Testing

/// A report belongs to its record: who may not see the one sees neither, and both go together.
@Suite struct ReportTests {
    let directory: TemporaryDirectory
    let store: Store

    init() throws {
        self.directory = try TemporaryDirectory()
        self.store = try Store.open(in: self.directory)
    }

    private static func report(_ text: String, at time: Int64 = someDay, isComplete: Bool = false) -> StoredReport {
        StoredReport(contentType: "application/json", body: Array(text.utf8), fetchedAt: time, isComplete: isComplete)
    }

    private func row(_ number: UInt64 = 1, user: String? = nil) throws -> ReportRow? {
        try self.store.report("rec-\(number)", client: "app", user: user)
    }

    private func count() async throws -> Int64? {
        try await self.store.administer("SELECT COUNT(*) FROM reports")
    }

    @Test func aReportIsFoundAsItWasKept() async throws {
        try await self.store.answer(1)
        let before = try #require(try self.row())
        #expect(before.report == nil && before.appKey == "account-1")
        // Long enough to be compressed.
        let text = "{\"data\":\"" + String(repeating: "很好 ", count: 2_000) + "\"}"
        try await self.store.keep(Self.report(text, at: someDay + 5, isComplete: true), of: before)
        let report = try #require(try self.row(user: "anna")?.report)
        #expect(report.body == Array(text.utf8) && report.contentType == "application/json")
        #expect(report.fetchedAt == someDay + 5 && report.isComplete)
    }

    @Test func nobodyElseSeesIt() async throws {
        try await self.store.answer(1)
        try await self.store.keep(Self.report("{}"), of: #require(try self.row()))
        #expect(try self.store.report("rec-1", client: "other", user: nil) == nil)
        #expect(try self.row(user: "ben") == nil)
        #expect(try self.row(2) == nil)
    }

    @Test func aNewerOneReplacesItUntilItIsComplete() async throws {
        try await self.store.answer(1)
        let row = try #require(try self.row())
        for (text, isComplete, stored) in [("1", false, "1"), ("2", false, "2"), ("3", true, "3"), ("4", false, "3")] {
            try await self.store.keep(Self.report(text, isComplete: isComplete), of: row)
            #expect(try self.row()?.report?.body == Array(stored.utf8))
        }
        #expect(try await self.count() == 1)
    }

    @Test func aRecordThatHasGoneTakesNone() async throws {
        try await self.store.answer(1)
        let row = try #require(try self.row())
        _ = try await self.store.eraseRecord("rec-1", client: "app", user: nil, by: "client app", now: someDay)
        try await self.store.keep(Self.report("{}"), of: row)
        #expect(try await self.count() == 0)
    }

    @Test func itGoesWithItsRecord() async throws {
        try await self.store.answer(1)
        try await self.store.answer(2, at: someDay + 80 * day)
        for number in [1, 2] as [UInt64] {
            try await self.store.keep(Self.report("{}"), of: #require(try self.row(number)))
        }
        _ = try await self.store.expire(now: someDay + 91 * day)
        #expect(try self.row(1) == nil)
        #expect(try self.row(2)?.report != nil)
        #expect(try await self.count() == 1)
    }

    @Test func oneThatIsAskedForAgainComesOutOfMemoryAndIsNeverAnOldOne() async throws {
        try await self.store.answer(1)
        let row = try #require(try self.row())
        for text in ["1", "2"] {
            try await self.store.keep(Self.report(text), of: row)
            #expect(try self.row()?.report?.body == Array(text.utf8))
            let hits = self.store.statistics.cacheHits
            #expect(try self.row()?.report?.body == Array(text.utf8))
            #expect(self.store.statistics.cacheHits == hits + 1)
            // Its record keeps its place beside it, and what lies in memory is shown to nobody else.
            #expect(try self.store.record("rec-1", client: "app", user: nil) != nil)
            #expect(self.store.statistics.cacheHits == hits + 2)
            #expect(try self.row(user: "ben") == nil)
            #expect(try self.store.report("rec-1", client: "other", user: nil) == nil)
        }
        _ = try await self.store.eraseRecord("rec-1", client: "app", user: nil, by: "client app", now: someDay)
        #expect(try self.row() == nil)
    }
}
