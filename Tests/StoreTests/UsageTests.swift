import Store
import TestSupport
import Testing

@Suite struct UsageTests {
    let directory: TemporaryDirectory
    let store: Store

    init() throws {
        self.directory = try TemporaryDirectory()
        self.store = try Store.open(in: self.directory)
    }

    private func answer(_ number: UInt64, user: String?, client: String = "app", at time: Int64 = someDay) async throws
    {
        let claim = NewClaim.sample(number, client: client, user: user, at: time)
        var answer = NewAnswer.sample(number, row: try await self.store.claim(claim), claim: claim, at: time)
        answer.usedAudioMilliseconds = 1_500
        _ = try await self.store.complete(answer)
    }

    private func sums(
        _ grouping: UsageGrouping,
        client: String? = "app",
        user: String? = nil,
        time: Range<Int64> = 0..<Int64.max
    ) async throws -> [String: UsageCounts] {
        let filter = UsageFilter(client: client, user: user, time: time)
        let rows = try await self.store.usage(filter, by: grouping, limit: 100)
        #expect(rows.map(\.group) == rows.map(\.group).sorted())
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.group, $0.counts) })
    }

    @Test func anAnswerIsBilledOnceWithItsCommit() async throws {
        try await self.answer(1, user: "anna")
        try await self.answer(2, user: "anna")
        try await self.answer(3, user: nil)
        try await self.answer(4, user: "anna", client: "other")
        let users = try await self.sums(.user)
        #expect(users["anna"]?.billed == 2 && users["anna"]?.audioMilliseconds == 3_000)
        #expect(users[""]?.billed == 1 && users.count == 2)
        #expect(try await self.sums(.client) == ["app": users.values.reduce(into: UsageCounts()) { $0 += $1 }])
        #expect(try await self.sums(.client, client: nil)["other"]?.billed == 1)
        #expect(try await self.sums(.operation, user: "anna")["evaluate"]?.billed == 2)
    }

    @Test func aFailedTransactionCountsNothing() async throws {
        let row = try await self.store.claim(.sample(1))
        try await self.store.administer(
            "CREATE TRIGGER no BEFORE INSERT ON answers BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
        #expect(await storeError { _ = try await self.store.complete(.sample(1, row: row)) } != nil)
        #expect(try await self.sums(.client).isEmpty)
        try await self.store.administer("DROP TRIGGER no")
        #expect(try await self.store.complete(.sample(1, row: row)))
        #expect(try await self.sums(.client)["app"]?.billed == 1)
        // The same flight again finds no claim.
        #expect(try await !self.store.complete(.sample(1, row: row)))
        #expect(try await self.sums(.client)["app"]?.billed == 1)
    }

    @Test func daysAreWholeAndInUTC() async throws {
        let midnight = someDay - someDay % day
        try await self.answer(1, user: nil, at: midnight - 1)
        try await self.answer(2, user: nil, at: midnight)
        try await self.answer(3, user: nil, at: midnight + 3 * day)
        let first = midnight / day - 1
        #expect(Set(try await self.sums(.day).keys) == ["\(first)", "\(first + 1)", "\(first + 4)"])
        #expect(Set(try await self.sums(.day, time: midnight..<midnight + 1).keys) == ["\(first + 1)"])
        #expect(try await self.sums(.day, time: midnight - 9 * day..<midnight - day).isEmpty)
        _ = try await self.store.expire(now: midnight + 402 * day)
        #expect(Set(try await self.sums(.day).keys) == ["\(first + 4)"])
    }

    @Test func countsOfRequestsAreAddedUpAndPagedByGroup() async throws {
        for round in 1...3 {
            var usage: [UsageKey: UsageCounts] = [:]
            for name in ["a", "b", "c"] {
                var counts = UsageCounts()
                counts.calls = round
                counts.replayed = 1
                counts.failed = round == 2 ? 1 : 0
                counts.unknown = round == 3 ? 1 : 0
                usage[UsageKey(at: someDay, client: "app", user: name, operation: "tts")] = counts
            }
            try await self.store.addUsage(usage)
        }
        let filter = UsageFilter(client: "app", time: 0..<Int64.max)
        let first = try await self.store.usage(filter, by: .user, limit: 2)
        let rest = try await self.store.usage(filter, by: .user, after: first.last?.group, limit: 2)
        #expect((first + rest).map(\.group) == ["a", "b", "c"])
        #expect(rest[0].counts.calls == 6 && rest[0].counts.replayed == 3)
        #expect(rest[0].counts.failed == 1 && rest[0].counts.unknown == 1)
    }

    @Test func anErasedUserIsNoLongerNamed() async throws {
        try await self.answer(1, user: "anna")
        try await self.answer(2, user: nil)
        let running = try await self.store.claim(.sample(3))
        let erasure = NewErasure(client: "app", user: "anna", actor: "app", flights: nil, requestedAt: someDay)
        let id = try await self.store.beginErasure(erasure)
        #expect(try await self.store.continueErasure(id, now: someDay).isComplete)
        #expect(try await !self.store.complete(.sample(3, row: running)))
        let users = try await self.sums(.user)
        #expect(users.count == 1 && users[""]?.billed == 3, "what was paid for stays counted: \(users)")
    }

    /// A count that was taken from memory before the erasure reaches the store after it.
    @Test func whatWasCountedBeforeAnErasureNamesNobodyAfterIt() async throws {
        let flight = FlightID(process: 7, serial: 5)
        let erasure = NewErasure(
            client: "app",
            user: "anna",
            actor: "app",
            flights: flight...flight,
            requestedAt: someDay
        )
        let id = try await self.store.beginErasure(erasure)
        #expect(try await self.store.continueErasure(id, now: someDay).isComplete)
        var counts = UsageCounts()
        counts.calls = 1
        let usage = [UsageKey(at: someDay, client: "app", user: "anna", operation: "tts"): counts]
        try await self.store.addUsage(usage, countedUpTo: flight)
        #expect(Set(try await self.sums(.user).keys) == [""])
        try await self.store.addUsage(usage, countedUpTo: FlightID(process: 7, serial: 6))
        #expect(try await self.sums(.user)["anna"]?.calls == 1, "later calls of the same name are counted")
    }

    @Test(arguments: UsageGrouping.allCases) func usageIsFoundDayByDay(grouping: UsageGrouping) throws {
        let plan = try self.store.plan(of: UsageQuestion.sql(by: grouping, ofOneClient: true))
        #expect(plan.contains { $0.contains("SEARCH u USING PRIMARY KEY (day=? AND client=?") }, "\(plan)")
    }
}
