import TestSupport
import Testing

@testable import Store

/// Reservations come and go with their claims, in the same commits.
@Suite struct QuotaTests {
    private static let reserved = [
        Reservation(owner: "client/app", day: 20_000, audioMilliseconds: 3_000),
        Reservation(owner: "account/account-1", day: 20_000, audioMilliseconds: 3_000),
    ]

    private func claim(_ number: UInt64, flight: UInt64? = nil) -> NewClaim {
        var claim = NewClaim.sample(number, flight: flight)
        claim.reservations = Self.reserved
        return claim
    }

    private func used(_ store: Store, _ owner: String = "client/app") throws -> [Int64] {
        try store.dayTotals(of: owner).flatMap { [Int64($0.calls), $0.audioMilliseconds] }
    }

    @Test func aReservationIsUsedFromTheClaimOnAndSurvivesARestart() async throws {
        let directory = try TemporaryDirectory()
        var store = try Store.open(in: directory)
        _ = try await store.claim(self.claim(1))
        _ = try await store.claim(self.claim(2))
        #expect(try self.used(store) == [2, 6_000])
        await store.close()
        store = try Store.open(in: directory)
        #expect(try self.used(store) == [2, 6_000])
        #expect(try self.used(store, "account/account-1") == [2, 6_000])
        #expect(try self.used(store, "client/other").isEmpty)
        await store.close()
    }

    @Test func whatWasNotExecutedComesBack() async throws {
        let directory = try TemporaryDirectory()
        let store = try Store.open(in: directory)
        let row = try await store.claim(self.claim(1))
        #expect(row.reservations == Self.reserved)
        #expect(try await store.release(row: row.id, flight: FlightID(process: 7, serial: 1)) == .deleted)
        #expect(try self.used(store) == [0, 0])
        #expect(try await store.administer("SELECT COUNT(*) FROM reservations") == 0)
        await store.close()
    }

    @Test func anAnswerEndsTheReservationWithWhatTheCallTook() async throws {
        let directory = try TemporaryDirectory()
        let store = try Store.open(in: directory)
        let first = try await store.claim(self.claim(1))
        #expect(try await store.complete(.sample(1, row: first)))
        #expect(try self.used(store) == [1, 3_000])
        let second = try await store.claim(self.claim(2))
        var answer = NewAnswer.sample(2, row: second)
        answer.audioMilliseconds = 10_000
        #expect(try await store.complete(answer))
        #expect(try self.used(store) == [2, 13_000])
        #expect(try await store.administer("SELECT COUNT(*) FROM reservations") == 0)
        await store.close()
    }

    @Test func aKeyThatIsClaimedAgainReservesNothingAndKnowsWhatItHas() async throws {
        let directory = try TemporaryDirectory()
        let store = try Store.open(in: directory)
        let first = try await store.claim(self.claim(1))
        _ = try await store.markUnresolved(row: first.id, flight: FlightID(process: 7, serial: 1))
        let again = try await store.claim(self.claim(1, flight: 9))
        #expect(!again.isNew && Set(again.reservations) == Set(Self.reserved))
        #expect(try self.used(store) == [1, 3_000])
        await store.close()
    }

    @Test(arguments: [(true, [Int64(1), 3_000]), (false, [0, 0])])
    func theOperatorsWordDecides(isBilled: Bool, used: [Int64]) async throws {
        let directory = try TemporaryDirectory()
        let store = try Store.open(in: directory)
        let claim = self.claim(1)
        _ = try await store.claim(claim)
        #expect(Set(try store.reservations(of: claim.scope)) == Set(Self.reserved))
        _ = try await store.settle(claim.scope, billed: isBilled)
        #expect(try self.used(store) == used)
        #expect(try store.reservations(of: claim.scope).isEmpty)
        await store.close()
    }

    @Test func aClaimMovesToAnotherAccountWithWhatItReserves() async throws {
        let directory = try TemporaryDirectory()
        let store = try Store.open(in: directory)
        let flight = FlightID(process: 7, serial: 1)
        let row = try await store.claim(self.claim(1))
        let next = [Self.reserved[0], Reservation(owner: "account/account-2", day: 20_000, audioMilliseconds: 3_000)]
        #expect(try await store.move(row: row.id, flight: flight, to: "account-2", reserving: next))
        #expect(try store.lookUp(self.claim(1).scope)?.appKey == "account-2")
        #expect(try self.used(store) == [1, 3_000])
        #expect(try self.used(store, "account/account-1") == [0, 0])
        #expect(try self.used(store, "account/account-2") == [1, 3_000])
        // Neither somebody else's claim nor one that may have been executed moves.
        let other = FlightID(process: 7, serial: 2)
        #expect(try await store.move(row: row.id, flight: other, to: "account-3", reserving: next) == false)
        _ = try await store.markUnresolved(row: row.id, flight: flight)
        #expect(try await store.move(row: row.id, flight: flight, to: "account-3", reserving: next) == false)
        #expect(try store.lookUp(self.claim(1).scope)?.appKey == "account-2")
        await store.close()
    }

    @Test func oldDaysAreForgotten() async throws {
        let directory = try TemporaryDirectory()
        let store = try Store.open(in: directory)
        _ = try await store.claim(self.claim(1))
        _ = try await store.expire(now: 20_003 * day)
        #expect(try self.used(store) == [1, 3_000])
        _ = try await store.expire(now: 20_006 * day)
        #expect(try self.used(store).isEmpty)
        await store.close()
    }
}
