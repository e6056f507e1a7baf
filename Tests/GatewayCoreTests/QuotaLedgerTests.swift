import Store
import TestSupport
import Testing

@testable import GatewayCore

@Suite struct QuotaLedgerTests {
    private static let day: Int64 = 86_400_000

    private let manual = ManualClock(unixMilliseconds: 20_000 * Self.day)
    private let directory: TemporaryDirectory
    private let store: Store
    private let ledger: QuotaLedger

    init() throws {
        self.directory = try TemporaryDirectory()
        self.store = try Store.open(Store.Configuration(directory: self.directory.path))
        self.ledger = QuotaLedger(store: self.store, clock: self.manual.clock)
    }

    private func share(_ owner: String, calls: Int? = nil, audio: Int64? = nil) -> QuotaLedger.Share {
        let limits = DailyQuota.Allowance(calls: calls, audioMilliseconds: audio)
        return QuotaLedger.Share(owner: owner, limits: limits, dayOffset: .zero)
    }

    /// The place of the quota that refuses, or nil.
    private func refuser(_ shares: [QuotaLedger.Share], audio: Int64 = 0) -> Int? {
        do throws(QuotaLedger.Failure) {
            self.ledger.giveBack(try self.ledger.reserve(shares, audioMilliseconds: audio))
            return nil
        } catch {
            guard case .refused(let index, _) = error else { return -1 }
            return index
        }
    }

    @Test func oneQuotaThatRefusesLeavesTheOthersUntouched() async throws {
        let shares = [self.share("client", calls: 5), self.share("user", calls: 1)]
        let first = try self.ledger.reserve(shares, audioMilliseconds: 0)
        #expect(first.map(\.owner) == ["client", "user"] && first.allSatisfy { $0.day == 20_000 })
        for _ in 0..<10 { #expect(self.refuser(shares) == 1) }
        for _ in 0..<4 { _ = try self.ledger.reserve([shares[0]], audioMilliseconds: 0) }
        #expect(self.refuser([shares[0]]) == 0)
        self.ledger.giveBack(first)
        #expect(self.refuser(shares) == nil)
        await self.store.close()
    }

    @Test func whatHasNoLimitReservesNothing() async throws {
        #expect(try self.ledger.reserve([self.share("client")], audioMilliseconds: 7).isEmpty)
        await self.store.close()
    }

    @Test func audioIsCorrectedWhenItsLengthIsKnown() async throws {
        let share = self.share("client", audio: 5_000)
        let reserved = try self.ledger.reserve([share], audioMilliseconds: 0)
        #expect(self.refuser([share], audio: 5_000) == nil)
        self.ledger.settle(reserved, audioMilliseconds: 1_000)
        #expect(self.refuser([share], audio: 5_000) == 0)
        #expect(self.refuser([share], audio: 4_000) == nil)
        await self.store.close()
    }

    /// A call of an earlier run of the process is settled while its quota is read for another one.
    @Test func whatComesBackFromTheStoreComesBackOnce() async throws {
        let share = self.share("client", calls: 3)
        var claim = NewClaim(
            scope: ScopeHash(1, 1),
            client: "c",
            user: nil,
            key: "k",
            operation: "evaluate",
            fingerprint: [UInt8](repeating: 7, count: 32),
            appKey: "ak",
            upstreamKey: "up",
            sentAt: 1,
            flight: FlightID(process: 1, serial: 1)
        )
        claim.reservations = [Reservation(owner: "client", day: 20_000, audioMilliseconds: 0)]
        _ = try await self.store.claim(claim)
        let reserved = self.ledger.adopt(try self.store.reservations(of: claim.scope))
        #expect(try await self.store.settle(claim.scope, billed: false) == .deleted)
        // Read between the commit and its news.
        let held = try (0..<2).map { _ in try self.ledger.reserve([share], audioMilliseconds: 0) }
        #expect(self.refuser([share]) == 0)
        self.ledger.giveBack(reserved)
        held.forEach(self.ledger.keep)
        #expect(self.refuser([share]) == nil)
        self.ledger.keep(try self.ledger.reserve([share], audioMilliseconds: 0))
        #expect(self.refuser([share]) == 0)
        await self.store.close()
    }

    @Test func anUnknownOutcomeStaysUsedAndTheNextDayIsNew() async throws {
        let share = self.share("client", calls: 1)
        self.ledger.keep(try self.ledger.reserve([share], audioMilliseconds: 0))
        #expect(self.refuser([share]) == 0)
        self.manual.advance(by: .milliseconds(Self.day))
        #expect(self.refuser([share]) == nil)
        await self.store.close()
    }

    @Test func aLimitThatChangesHoldsForTheNextCall() async throws {
        _ = try self.ledger.reserve([self.share("client", calls: 9)], audioMilliseconds: 0)
        #expect(self.refuser([self.share("client", calls: 1)]) == 0)
        #expect(self.refuser([self.share("client", calls: 2)]) == nil)
        await self.store.close()
    }
}
