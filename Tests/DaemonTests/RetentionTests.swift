import GatewayCore
import Store
import Telemetry
import TestSupport
import Testing

@testable import Daemon

@Suite struct RetentionTests {
    private struct NoSink: LogSink {
        func write(_ record: LogRecord) {}
    }

    private static let now: Int64 = 100 * 86_400_000

    private func answer(_ number: UInt64, user: String, at time: Int64, in store: Store) async throws {
        let claim = NewClaim(
            scope: ScopeHash(0, number),
            client: "school",
            user: user,
            key: "key-\(number)",
            operation: "evaluate",
            fingerprint: [UInt8](repeating: 1, count: 32),
            appKey: "account-1",
            upstreamKey: "upstream-\(number)",
            sentAt: time,
            flight: FlightID(process: 1, serial: number)
        )
        let answer = NewAnswer(
            claim: claim,
            row: try await store.claim(claim),
            status: 200,
            contentType: "application/json",
            body: [0x7B, 0x7D],
            answeredAt: time,
            record: NewRecord(recordID: "rec-\(number)")
        )
        #expect(try await store.complete(answer))
    }

    @Test(arguments: [
        // One erasure that fails, and none that can even be listed.
        "CREATE TRIGGER stuck BEFORE DELETE ON keys WHEN OLD.user = 'ben' BEGIN SELECT RAISE(ABORT, 'stuck'); END",
        "ALTER TABLE erasures RENAME COLUMN id TO number",
    ])
    func whatIsOldGoesThoughNothingCanBeErased(fault: String) async throws {
        let directory = try TemporaryDirectory()
        let store = try Store.open(Store.Configuration(directory: directory.path))
        try await self.answer(1, user: "anna", at: 0, in: store)
        try await self.answer(2, user: "ben", at: Self.now, in: store)
        let erasure = NewErasure(client: "school", user: "ben", actor: "test", flights: nil, requestedAt: 0)
        _ = try await store.beginErasure(erasure)
        try await store.administer(fault)
        let logger = Logger(sink: NoSink())
        let revocations = try TokenRevocations(store: store)
        let retention = Retention(
            store: store,
            erasures: Erasures(store: store, calls: nil, revocations: revocations, logger: logger),
            logger: logger,
            clock: GatewayClock(
                unixMilliseconds: { Self.now },
                now: { ContinuousClock.now },
                sleep: { _ in throw CancellationError() },
                random: { 0 }
            )
        )
        await retention.run()
        #expect(try await store.administer("SELECT COUNT(*) FROM records WHERE user = 'anna'") == 0)
        await store.close()
    }
}
