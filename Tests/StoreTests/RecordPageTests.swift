import Store
import TestSupport
import Testing

@Suite struct RecordPageTests {
    let directory: TemporaryDirectory
    let store: Store

    init() throws {
        self.directory = try TemporaryDirectory()
        self.store = try Store.open(in: self.directory)
    }

    /// Makes a record of a client's user at a moment.
    private func record(_ number: UInt64, client: String = "app", user: String? = "anna", at time: Int64) async throws {
        let claim = NewClaim.sample(number, client: client, user: user, at: time)
        let row = try await self.store.claim(claim)
        _ = try await self.store.complete(.sample(number, row: row, claim: claim, at: time))
    }

    /// All record ids of a filter, page by page.
    private func walk(
        _ filter: RecordFilter,
        limit: Int,
        between: () async throws -> Void = {}
    ) async throws -> [String] {
        var ids: [String] = []
        var position: RecordPosition?
        while true {
            let page = try self.store.records(filter, behind: position, limit: limit)
            ids += page.map(\.recordID)
            guard page.count == limit else { return ids }
            position = page.last?.position
            try await between()
        }
    }

    @Test func newestComeFirstAlsoWithinOneMillisecond() async throws {
        for number in 1...5 as ClosedRange<UInt64> { try await self.record(number, at: someDay + Int64(number / 4)) }
        for limit in 1...6 {
            let ids = try await self.walk(RecordFilter(client: "app"), limit: limit)
            #expect(ids == ["rec-5", "rec-4", "rec-3", "rec-2", "rec-1"])
        }
    }

    @Test func whatIsAddedMeanwhileMovesNothing() async throws {
        for number in 1...6 as ClosedRange<UInt64> { try await self.record(number, at: someDay + Int64(number)) }
        var next: UInt64 = 100
        let ids = try await self.walk(RecordFilter(client: "app"), limit: 2) {
            next += 1
            try await self.record(next, at: someDay + Int64(next))
        }
        #expect(ids == (1...6).reversed().map { "rec-\($0)" })
    }

    @Test func clientUserAndTimeAreKept() async throws {
        try await self.record(1, user: "anna", at: someDay)
        try await self.record(2, user: "ben", at: someDay + 1)
        try await self.record(3, user: nil, at: someDay + 2)
        try await self.record(4, client: "other", user: "anna", at: someDay + 3)
        try await self.record(5, user: "anna", at: someDay + 4)
        #expect(try await self.walk(RecordFilter(client: "app"), limit: 9) == ["rec-5", "rec-3", "rec-2", "rec-1"])
        #expect(try await self.walk(RecordFilter(client: "app", user: "anna"), limit: 9) == ["rec-5", "rec-1"])
        let time = RecordFilter(client: "app", from: someDay + 1, to: someDay + 4)
        #expect(try await self.walk(time, limit: 1) == ["rec-3", "rec-2"])
        let one = try #require(try self.store.records(RecordFilter(client: "app", user: "anna"), limit: 1).first)
        #expect(one.user == "anna" && one.operation == "evaluate" && one.coreType == "en.sent.score")
        #expect(one.overall == 87.5 && one.key == "key-5" && one.position.createdAt == someDay + 4)
    }

    /// A page is found by an index that begins with its client, and comes out in order: with a million records of
    /// others it costs the same.
    @Test(arguments: [
        (RecordPages.ofClient, "records_by_client (client=? AND created_ms"),
        (RecordPages.ofUser, "records_by_user (client=? AND user=? AND created_ms"),
    ])
    func noPageWalksThroughATable(sql: String, index: String) throws {
        let plan = try self.store.plan(of: sql)
        #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.hasPrefix("SCAN") }, "no sorting: \(plan)")
        #expect(plan.first?.contains("SEARCH records USING INDEX \(index)") == true, "\(plan)")
    }
}
