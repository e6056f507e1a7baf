import Store
import TestSupport
import Testing

@Suite struct WriterTests {
    let directory: TemporaryDirectory

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    @Test func whatWaitsBecomesOneTransaction() async throws {
        let store = try Store.open(in: self.directory)
        store.pauseWriter()
        async let rows = withThrowingTaskGroup(of: ClaimedRow.self) { group in
            for number in 0..<50 as Range<UInt64> {
                group.addTask {
                    try await store.claim(.sample(number))
                }
            }
            return try await group.reduce(into: Set<Int64>()) { $0.insert($1.id) }
        }
        await store.waitForWrites(50)
        let before = store.statistics.transactions
        store.resumeWriter()
        #expect(try await rows.count == 50)
        #expect(store.statistics.transactions == before + 1)
        #expect(store.claimCounts().sent == 50)
    }

    @Test func aBadWriteFailsAlone() async throws {
        let store = try Store.open(in: self.directory)
        let answered = try await store.claim(.sample(100))
        store.pauseWriter()
        let results = try await withThrowingTaskGroup(of: (UInt64, StoreError.Code?).self) { group in
            for number in 0..<20 as Range<UInt64> {
                group.addTask {
                    var claim = NewClaim.sample(number)
                    if number == 7 {
                        // A rule of the schema: 32 bytes.
                        claim.fingerprint.removeLast()
                    }
                    return (number, await storeError { _ = try await store.claim(claim) }?.code)
                }
            }
            group.addTask {
                // The answer's bad fingerprint shows after the claim's end was written already.
                var answer = NewAnswer.sample(100, row: answered)
                answer.claim.fingerprint = []
                return (100, await storeError { _ = try await store.complete(answer) }?.code)
            }
            await store.waitForWrites(21)
            store.resumeWriter()
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(results == [7: .invalid, 100: .invalid])
        for number in 0..<20 as Range<UInt64> {
            #expect(try (store.lookUp(ScopeHash(0x5EED, number)) == nil) == (number == 7))
        }
        // The failed answer left its claim as it was.
        #expect(try store.lookUp(ScopeHash(0x5EED, 100))?.flight == FlightID(process: 7, serial: 100))
        #expect(store.claimCounts().sent == 20)
        #expect(store.claimCounts().answered == 0)
        #expect(try await store.complete(.sample(100, row: answered)))
    }

    @Test func aRefusalLeavesTheOthersInOneTransaction() async throws {
        let store = try Store.open(in: self.directory)
        try await store.answer(1)
        store.pauseWriter()
        async let refused = storeError { _ = try await store.claim(.sample(1, flight: 9)) }
        async let claimed = store.claim(.sample(2))
        await store.waitForWrites(2)
        let before = store.statistics.transactions
        store.resumeWriter()
        #expect(await refused?.code == .conflict)
        #expect(try await claimed.isNew)
        #expect(store.statistics.transactions == before + 1)
    }

    @Test func manyTasksSeeTheirOwnWrites() async throws {
        let store = try Store.open(in: self.directory) { $0.answerCacheSize = 64 << 10 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<400 as Range<UInt64> {
                group.addTask {
                    let scope = ScopeHash(0x5EED, number)
                    let row = try await store.claim(.sample(number))
                    let claimed = try #require(try store.lookUp(scope))
                    #expect(claimed.id == row.id)
                    #expect(claimed.answer == nil)
                    let body = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 2_000)
                    #expect(try await store.complete(.sample(number, row: row, body: body)))
                    #expect(try store.lookUp(scope)?.answer?.body == body)
                    #expect(try store.record("rec-\(number)", client: "app", user: "anna")?.answer.body == body)
                }
            }
            try await group.waitForAll()
        }
        #expect(store.claimCounts().answered == 400)
        #expect(store.claimCounts().sent == 0)
    }

    @Test func oneKeyClaimedByManyIsOneRow() async throws {
        let store = try Store.open(in: self.directory)
        let rows = try await withThrowingTaskGroup(of: ClaimedRow.self) { group in
            for flight in 0..<50 as Range<UInt64> {
                group.addTask {
                    try await store.claim(.sample(1, flight: flight))
                }
            }
            return try await group.reduce(into: [ClaimedRow]()) { $0.append($1) }
        }
        #expect(Set(rows.map(\.id)).count == 1)
        #expect(rows.count { $0.isNew } == 1)
        #expect(store.claimCounts().sent == 1)
        #expect(try store.openClaims().count == 1)
    }

    @Test func queueIsBounded() async throws {
        let store = try Store.open(in: self.directory) { $0.maximumWaitingWrites = 3 }
        store.pauseWriter()
        async let first = store.claim(.sample(1))
        async let second = store.claim(.sample(2))
        async let third = store.claim(.sample(3))
        await store.waitForWrites(3)
        let error = await storeError { _ = try await store.claim(.sample(4)) }
        #expect(error?.code == .overloaded)
        store.resumeWriter()
        #expect(try await [first, second, third].allSatisfy(\.isNew))
        #expect(try await store.claim(.sample(4)).isNew)
    }

    @Test func cancelledCallerStillGetsTheTruth() async throws {
        let store = try Store.open(in: self.directory)
        store.pauseWriter()
        let task = Task {
            try await store.claim(.sample(1))
        }
        await store.waitForWrites(1)
        task.cancel()
        store.resumeWriter()
        #expect(try await task.value.isNew)
        #expect(try store.lookUp(ScopeHash(0x5EED, 1)) != nil)
    }

    @Test func fullDatabaseRefusesAndRecovers() async throws {
        let store = try Store.open(in: self.directory)
        let row = try await store.claim(.sample(1))
        // SQLite takes the present size for a limit that is below it.
        try await store.administer("PRAGMA max_page_count = 1")
        let large = noise(300_000)
        let error = await storeError { _ = try await store.complete(.sample(1, row: row, body: large)) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("free space") == true)
        #expect(try store.lookUp(ScopeHash(0x5EED, 1))?.answer == nil)
        #expect(store.claimCounts().sent == 1)
        try await store.administer("PRAGMA max_page_count = 1000000")
        try await store.probe()
        #expect(try await store.complete(.sample(1, row: row, body: large)))
        #expect(try store.lookUp(ScopeHash(0x5EED, 1))?.answer?.body == large)
    }

    @Test func writesThatFitSurviveOneThatFillsTheDatabase() async throws {
        let store = try Store.open(in: self.directory)
        let large = try await store.claim(.sample(1))
        try await store.administer("PRAGMA max_page_count = 1")
        store.pauseWriter()
        async let failed = storeError {
            _ = try await store.complete(
                .sample(1, row: large, body: noise(300_000))
            )
        }
        async let marked = store.markUnresolved(row: large.id, flight: FlightID(process: 7, serial: 1))
        await store.waitForWrites(2)
        store.resumeWriter()
        #expect(await failed?.code == .unavailable)
        #expect(try await marked)
        #expect(try store.lookUp(ScopeHash(0x5EED, 1))?.isUnresolved == true)
    }

    @Test func readOnlyDatabaseRefusesWritesAndKeepsReading() async throws {
        let store = try Store.open(in: self.directory)
        try await store.answer(1)
        try await store.administer("PRAGMA query_only = ON")
        #expect(await storeError { try await store.probe() }?.code == .unavailable)
        #expect(await storeError { _ = try await store.claim(.sample(2)) }?.code == .unavailable)
        #expect(try store.lookUp(ScopeHash(0x5EED, 1))?.answer != nil)
        #expect(try store.lookUp(ScopeHash(0x5EED, 2)) == nil)
        try await store.administer("PRAGMA query_only = OFF")
        try await store.probe()
        #expect(try await store.claim(.sample(2)).isNew)
    }

    @Test func everyWaiterIsToldOfATrouble() async throws {
        let store = try Store.open(in: self.directory)
        try await store.administer("PRAGMA query_only = ON")
        store.pauseWriter()
        let codes = await withTaskGroup(of: StoreError.Code?.self) { group in
            for number in 0..<30 as Range<UInt64> {
                group.addTask {
                    await storeError { _ = try await store.claim(.sample(number)) }?.code
                }
            }
            await store.waitForWrites(30)
            store.resumeWriter()
            return await group.reduce(into: [StoreError.Code?]()) { $0.append($1) }
        }
        #expect(codes == [StoreError.Code?](repeating: .unavailable, count: 30))
        #expect(store.claimCounts() == ClaimCounts())
    }

    @Test func logStaysSmallWhileMuchIsWritten() async throws {
        let store = try Store.open(in: self.directory)
        let body = noise(100_000)
        var largest = 0
        for number in 0..<200 as Range<UInt64> {
            try await store.answer(number, body: body)
            largest = max(largest, try self.directory.size(of: "speechgate.db-wal"))
        }
        // 20 MB went through it.
        #expect(largest > 100_000)
        #expect(largest < 4 << 20)
        #expect(store.statistics.checkpoints >= 10)
        #expect(store.statistics.checkpointFailure == nil)
    }

    @Test func readersSeeOneStateWhileTheWriterWorks() async throws {
        let store = try Store.open(in: self.directory) { $0.answerCacheSize = 0 }
        let row = try await store.claim(.sample(1))
        let body = noise(50_000)
        async let written = store.complete(.sample(1, row: row, body: body))
        for _ in 0..<200 {
            let seen = try #require(try store.lookUp(ScopeHash(0x5EED, 1)))
            // Either still claimed or answered, never between.
            #expect((seen.flight == nil) == (seen.answer != nil))
            #expect(seen.answer == nil || seen.answer?.body == body)
        }
        #expect(try await written)
    }
}
