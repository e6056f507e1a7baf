import Store
import TestSupport
import Testing

@Suite struct ClaimTests {
    let directory: TemporaryDirectory
    let store: Store

    init() throws {
        self.directory = try TemporaryDirectory()
        self.store = try Store.open(in: self.directory)
    }

    @Test func unseenKeyIsNotFound() throws {
        #expect(try self.store.lookUp(ScopeHash(1, 2)) == nil)
    }

    @Test func claimIsFoundAsItWasWritten() async throws {
        let claimed = try await self.store.claim(.sample(1, user: nil))
        #expect(claimed.isNew)
        #expect(claimed.firstSentAt == someDay)
        let row = try #require(try self.store.lookUp(ScopeHash(0x5EED, 1)))
        #expect(row.id == claimed.id)
        #expect(row.scope == ScopeHash(0x5EED, 1))
        #expect(row.client == "app")
        #expect(row.user == nil)
        #expect(row.key == "key-1")
        #expect(row.operation == "evaluate")
        #expect(row.fingerprint == [UInt8](repeating: 1, count: 32))
        #expect(row.appKey == "account-1")
        #expect(row.upstreamKey == "upstream-1")
        #expect(row.firstSentAt == someDay)
        #expect(row.flight == FlightID(process: 7, serial: 1))
        #expect(!row.isUnresolved)
        #expect(!row.isSettledBilled)
        #expect(row.answer == nil)
    }

    @Test func extremeFlightsAndTimesSurvive() async throws {
        var claim = NewClaim.sample(1, user: "", at: .max)
        claim.flight = FlightID(process: .max, serial: 1 << 63)
        claim.scope = ScopeHash(.max, 1 << 63)
        claim.key = "\u{1F600} \u{0} end"
        _ = try await self.store.claim(claim)
        let row = try #require(try self.store.lookUp(claim.scope))
        #expect(row.flight == FlightID(process: .max, serial: 1 << 63))
        #expect(row.firstSentAt == .max)
        #expect(row.user?.isEmpty == true)
        #expect(row.key == "\u{1F600} \u{0} end")
    }

    @Test func claimingAgainKeepsTheFirstClaimAndTakesTheFlight() async throws {
        let first = try await self.store.claim(.sample(1))
        #expect(try await self.store.markUnresolved(row: first.id, flight: FlightID(process: 7, serial: 1)))
        var again = NewClaim.sample(1, fingerprint: 9, at: someDay + hour, flight: 2)
        again.appKey = "account-2"
        again.upstreamKey = "other"
        let second = try await self.store.claim(again)
        #expect(!second.isNew)
        #expect(second.id == first.id)
        #expect(second.firstSentAt == someDay)
        #expect(second.appKey == "account-1")
        #expect(second.upstreamKey == "upstream-1")
        #expect(second.isUnresolved)
        let row = try #require(try self.store.lookUp(again.scope))
        #expect(row.flight == FlightID(process: 7, serial: 2))
        #expect(row.fingerprint == [UInt8](repeating: 1, count: 32))
        #expect(row.isUnresolved)
    }

    @Test func answeredKeyCannotBeClaimed() async throws {
        try await self.store.answer(1)
        let error = await storeError { _ = try await self.store.claim(.sample(1, flight: 2)) }
        #expect(error?.code == .conflict)
        #expect(try self.store.lookUp(ScopeHash(0x5EED, 1))?.answer?.status == 200)
    }

    @Test func releaseFreesTheKey() async throws {
        let row = try await self.store.claim(.sample(1))
        #expect(try await self.store.release(row: row.id, flight: FlightID(process: 7, serial: 1)) == .deleted)
        #expect(try self.store.lookUp(ScopeHash(0x5EED, 1)) == nil)
        let again = try await self.store.claim(.sample(1, at: someDay + hour))
        #expect(again.isNew)
        #expect(again.id != row.id)
        #expect(again.firstSentAt == someDay + hour)
    }

    @Test func releaseByAnotherFlightDoesNothing() async throws {
        let row = try await self.store.claim(.sample(1))
        #expect(try await self.store.release(row: row.id, flight: FlightID(process: 7, serial: 2)) == .notOwned)
        #expect(try await self.store.release(row: row.id, flight: FlightID(process: 8, serial: 1)) == .notOwned)
        #expect(try await self.store.release(row: row.id + 1, flight: FlightID(process: 7, serial: 1)) == .notOwned)
        #expect(try self.store.lookUp(ScopeHash(0x5EED, 1)) != nil)
    }

    @Test func unresolvedRowSurvivesRelease() async throws {
        let flight = FlightID(process: 7, serial: 1)
        let row = try await self.store.claim(.sample(1))
        try await self.store.markUnresolved(row: row.id, flight: flight)
        #expect(try await self.store.release(row: row.id, flight: flight) == .kept)
        #expect(try self.store.lookUp(ScopeHash(0x5EED, 1))?.isUnresolved == true)
    }

    @Test func onlyTheOwnerMarksUnresolved() async throws {
        let row = try await self.store.claim(.sample(1))
        #expect(try await !self.store.markUnresolved(row: row.id, flight: FlightID(process: 7, serial: 2)))
        #expect(try self.store.lookUp(ScopeHash(0x5EED, 1))?.isUnresolved == false)
    }

    @Test func settlingAsNotBilledFreesTheKey() async throws {
        let row = try await self.store.claim(.sample(1))
        try await self.store.markUnresolved(row: row.id, flight: FlightID(process: 7, serial: 1))
        #expect(try await self.store.settle(ScopeHash(0x5EED, 1), billed: false) == .deleted)
        #expect(try self.store.lookUp(ScopeHash(0x5EED, 1)) == nil)
        #expect(try await self.store.claim(.sample(1)).isNew)
    }

    @Test func settlingAsBilledClosesTheKey() async throws {
        _ = try await self.store.claim(.sample(1))
        #expect(try await self.store.settle(ScopeHash(0x5EED, 1), billed: true) == .kept)
        #expect(try self.store.lookUp(ScopeHash(0x5EED, 1))?.isSettledBilled == true)
        let error = await storeError { _ = try await self.store.claim(.sample(1, flight: 2)) }
        #expect(error?.code == .settledBilled)
        // The refused claim did not take the flight.
        #expect(try self.store.lookUp(ScopeHash(0x5EED, 1))?.flight == FlightID(process: 7, serial: 1))
    }

    @Test func settledRowSurvivesRelease() async throws {
        let row = try await self.store.claim(.sample(1))
        _ = try await self.store.settle(ScopeHash(0x5EED, 1), billed: true)
        #expect(try await self.store.release(row: row.id, flight: FlightID(process: 7, serial: 1)) == .kept)
    }

    @Test func thereIsNothingToSettleWithoutAnOpenKey() async throws {
        #expect(try await self.store.settle(ScopeHash(0x5EED, 1), billed: true) == .notFound)
        try await self.store.answer(1)
        #expect(try await self.store.settle(ScopeHash(0x5EED, 1), billed: false) == .alreadyAnswered)
        #expect(try self.store.lookUp(ScopeHash(0x5EED, 1))?.answer != nil)
    }

    @Test func openClaimsAreListedInPages() async throws {
        var rows: [ClaimedRow] = []
        for number in 1...5 as ClosedRange<UInt64> {
            rows.append(try await self.store.claim(.sample(number, at: someDay + Int64(number) * hour)))
        }
        let ids = rows.map(\.id)
        _ = try await self.store.complete(.sample(2, row: rows[1]))
        _ = try await self.store.settle(ScopeHash(0x5EED, 3), billed: true)
        #expect(try self.store.openClaims().map(\.id) == [ids[0], ids[3], ids[4]])
        #expect(try self.store.openClaims(includingSettled: true).map(\.id) == [ids[0], ids[2], ids[3], ids[4]])
        #expect(try self.store.openClaims(limit: 2).map(\.id) == [ids[0], ids[3]])
        #expect(try self.store.openClaims(after: ids[3]).map(\.id) == [ids[4]])
        #expect(try self.store.openClaims(sentBefore: someDay + 5 * hour).map(\.id) == [ids[0], ids[3]])
        let row = try #require(try self.store.openClaims().first)
        #expect(row.key == "key-1")
        #expect(row.fingerprint == [UInt8](repeating: 1, count: 32))
        #expect(row.flight == FlightID(process: 7, serial: 1))
    }

    @Test func countsFollowEveryChange() async throws {
        func counts(_ sent: Int, _ unresolved: Int, _ settled: Int, _ answered: Int) -> ClaimCounts {
            var counts = ClaimCounts()
            counts.sent = sent
            counts.unresolved = unresolved
            counts.settledBilled = settled
            counts.answered = answered
            return counts
        }
        var rows: [ClaimedRow] = []
        for number in 1...5 as ClosedRange<UInt64> {
            rows.append(try await self.store.claim(.sample(number)))
        }
        #expect(self.store.claimCounts() == counts(5, 0, 0, 0))
        _ = try await self.store.complete(.sample(1, row: rows[0]))
        #expect(self.store.claimCounts() == counts(4, 0, 0, 1))
        try await self.store.markUnresolved(row: rows[1].id, flight: FlightID(process: 7, serial: 2))
        try await self.store.markUnresolved(row: rows[1].id, flight: FlightID(process: 7, serial: 2))
        #expect(self.store.claimCounts() == counts(3, 1, 0, 1))
        try await self.store.release(row: rows[2].id, flight: FlightID(process: 7, serial: 3))
        #expect(self.store.claimCounts() == counts(2, 1, 0, 1))
        _ = try await self.store.settle(ScopeHash(0x5EED, 4), billed: true)
        #expect(self.store.claimCounts() == counts(1, 1, 1, 1))
        _ = try await self.store.claim(.sample(5, flight: 50))
        #expect(self.store.claimCounts() == counts(1, 1, 1, 1))
        _ = try await self.store.complete(.sample(2, row: rows[1]))
        #expect(self.store.claimCounts() == counts(1, 0, 1, 2))
        _ = try await self.store.settle(ScopeHash(0x5EED, 4), billed: false)
        #expect(self.store.claimCounts() == counts(1, 0, 0, 2))
        await self.store.close()
        let again = try Store.open(in: self.directory)
        #expect(again.claimCounts() == counts(1, 0, 0, 2))
    }
}
