import Cryptography
import Store
import Telemetry
import TestSupport
import Testing

@testable import GatewayCore

@Suite struct StoreTroubleTests {
    private let directory: TemporaryDirectory
    private let store: Store
    private let flights = FlightTable(process: 1)
    private let fingerprint = SHA256.hash(of: [1])

    init() throws {
        self.directory = try TemporaryDirectory()
        self.store = try Store.open(Store.Configuration(directory: self.directory.path))
    }

    /// An answer whose flight has landed.
    ///
    /// - Parameter isValid: False breaks a rule of the schema.
    private func unwritten(_ number: UInt64, isValid: Bool = true, body: Int = 2) async throws -> NewAnswer {
        let scope = ScopeHash(1, number)
        guard case .owner(let flight, _) = self.flights.enter(scope, fingerprint: self.fingerprint) else {
            throw CancellationError()
        }
        self.flights.land(scope, flight, with: .failed(.inProgress), isWritten: false)
        var claim = NewClaim(
            scope: scope,
            client: "school",
            user: number % 2 == 0 ? "anna" : nil,
            key: "key-\(number)",
            operation: "evaluate",
            fingerprint: self.fingerprint.bytes,
            appKey: "ak",
            upstreamKey: "up",
            sentAt: 1,
            flight: flight
        )
        let row = try await self.store.claim(claim)
        if !isValid { claim.fingerprint = [] }
        return NewAnswer(
            claim: claim,
            row: row,
            status: 200,
            contentType: "application/json",
            body: [UInt8](repeating: 0x20, count: body),
            answeredAt: 2
        )
    }

    private func trouble(_ limits: UnwrittenAnswers.Limits = .init(), clock: GatewayClock? = nil) -> StoreTrouble {
        StoreTrouble(
            store: self.store,
            flights: self.flights,
            limits: limits,
            clock: clock ?? ManualClock().clock,
            probeInterval: .seconds(1),
            logger: Logger(level: .error, sink: SilentSink())
        )
    }

    private static let refusal = StoreError(code: .unavailable, message: "scripted")

    private func isAnswered(_ number: UInt64) throws -> Bool {
        try self.store.lookUp(ScopeHash(1, number))?.answer != nil
    }

    /// A probe may succeed between the failure of a write and the moment its answer comes to wait here.
    @Test(.timeLimit(.minutes(1))) func anAnswerThatComesAfterTheRecoveryIsWrittenAllTheSame() async throws {
        let trouble = self.trouble()
        trouble.keep(try await self.unwritten(1), after: Self.refusal)
        await until { !self.flights.contains(ScopeHash(1, 1)) }
        #expect(try self.isAnswered(1))
        await self.store.close()
    }

    @Test(.timeLimit(.minutes(1))) func anAnswerThatBreaksARuleIsNoTroubleOfTheStore() async throws {
        let trouble = self.trouble()
        let bad = try await self.unwritten(1, isValid: false)
        trouble.keep(bad, after: StoreError(code: .invalid, message: "scripted"))
        #expect(!trouble.isTroubled && trouble.unwrittenCounts.aside == 1)
        trouble.keep(try await self.unwritten(2), after: Self.refusal)
        await until { !trouble.isTroubled }
        #expect(try self.isAnswered(2) && !self.isAnswered(1))
        #expect(trouble.unwrittenCounts == (0, 1))
        // Its key is answered from memory, and nothing waits for its end.
        #expect(self.flights.contains(ScopeHash(1, 1)) && self.flights.count == 0)
        await self.flights.waitUntilIdle()
        await self.store.close()
    }

    /// The store takes everything but one answer: paid work is not refused for ever because of it.
    @Test(.timeLimit(.minutes(1))) func anAnswerThatAStoreInOrderRefusesIsSetAside() async throws {
        let trouble = self.trouble()
        var bad = try await self.unwritten(1)
        // Larger than the largest probe, for which there is room.
        bad.body = SecureRandom.bytes(count: 3 << 20)
        let pages = try #require(try await self.store.administer("PRAGMA page_count"))
        try await self.store.administer("PRAGMA max_page_count = \(pages + 320)")
        trouble.keep(bad, after: Self.refusal)
        trouble.keep(try await self.unwritten(2), after: Self.refusal)
        await until { !trouble.isTroubled }
        #expect(try self.isAnswered(2) && !self.isAnswered(1))
        #expect(trouble.unwrittenCounts == (0, 1))
        // With the next trouble it gets another chance.
        try await self.store.administer("PRAGMA max_page_count = 1000000")
        trouble.note(Self.refusal)
        await until { !trouble.isTroubled }
        #expect(try self.isAnswered(1))
        #expect(trouble.unwrittenCounts == (0, 0) && !self.flights.contains(ScopeHash(1, 1)))
        await self.store.close()
    }

    @Test(.timeLimit(.minutes(1))) func whatHasNoRoomIsLetGo() async throws {
        var limits = UnwrittenAnswers.Limits()
        limits.waiting.bytes = 100_000
        // Nothing is written while the clock stands still.
        let sleeping = GatewayClock(
            unixMilliseconds: { 0 },
            now: { .now },
            sleep: { _ in try await Task.sleep(for: .seconds(600)) },
            random: { 0.5 }
        )
        let trouble = self.trouble(limits, clock: sleeping)
        for number in 1...3 as ClosedRange<UInt64> {
            trouble.keep(try await self.unwritten(number, body: 40_000), after: Self.refusal)
        }
        #expect(trouble.unwrittenCounts.waiting == 2)
        #expect(!self.flights.contains(ScopeHash(1, 3)), "the next request with its key asks the platform again")
        trouble.stop()
        await self.store.close()
    }

    @Test(.timeLimit(.minutes(1))) func anErasedUsersAnswersAreNotGivenFromMemory() async throws {
        let trouble = self.trouble()
        for number in 1...2 as ClosedRange<UInt64> {
            let answer = try await self.unwritten(number)
            trouble.keep(answer, after: StoreError(code: .invalid, message: "scripted"))
        }
        trouble.erase(client: "school", user: "anna")
        #expect(!self.flights.contains(ScopeHash(1, 2)) && self.flights.contains(ScopeHash(1, 1)))
        #expect(trouble.unwrittenCounts.aside == 1)
        await self.store.close()
    }
}
