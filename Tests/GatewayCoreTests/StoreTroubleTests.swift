import Foundation
import Store
import Telemetry
import Testing

@testable import GatewayCore

@Suite struct StoreTroubleTests {
    private static let flight = FlightID(process: 1, serial: 1)

    private static func open() throws -> Store {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("speechgate-\(UUID().uuidString)")
        return try Store.open(Store.Configuration(directory: folder.path))
    }

    private static func close(_ store: Store) async {
        await store.close()
        try? FileManager.default.removeItem(atPath: store.directory)
    }

    private static func unwritten(
        _ scope: ScopeHash,
        in store: Store,
        fingerprint: [UInt8] = [UInt8](repeating: 7, count: 32)
    ) async throws -> NewAnswer {
        var claim = NewClaim(
            scope: scope,
            client: "school",
            user: nil,
            key: "key-\(scope.low)",
            operation: "evaluate",
            fingerprint: [UInt8](repeating: 7, count: 32),
            appKey: "ak",
            upstreamKey: "up",
            sentAt: 1,
            flight: Self.flight
        )
        let row = try await store.claim(claim)
        claim.fingerprint = fingerprint
        return NewAnswer(
            claim: claim,
            row: row,
            status: 200,
            contentType: "application/json",
            body: Array("{}".utf8),
            answeredAt: 2
        )
    }

    private static func trouble(_ store: Store, onWritten: @escaping @Sendable (ScopeHash) -> Void) -> StoreTrouble {
        StoreTrouble(
            store: store,
            clock: ManualClock().clock,
            probeInterval: .seconds(1),
            logger: Logger(level: .error, sink: SilentSink()),
            onWritten: onWritten
        )
    }

    /// A probe may succeed between the failure of a write and the moment its answer comes to wait here.
    @Test(.timeLimit(.minutes(1))) func anAnswerThatComesAfterTheRecoveryIsWrittenAllTheSame() async throws {
        let store = try Self.open()
        let written = Gate()
        let trouble = Self.trouble(store) { _ in written.open() }
        let scope = ScopeHash(1, 1)
        trouble.keep(try await Self.unwritten(scope, in: store))
        await written.wait()
        #expect(try store.lookUp(scope)?.answer?.body == Array("{}".utf8))
        await Self.close(store)
    }

    @Test(.timeLimit(.minutes(1))) func anAnswerThatCanNeverBeWrittenHoldsUpNoOther() async throws {
        let store = try Self.open()
        let bad = try await Self.unwritten(ScopeHash(1, 1), in: store, fingerprint: [])
        let good = try await Self.unwritten(ScopeHash(1, 2), in: store)
        let ended = Gate()
        let trouble = Self.trouble(store) { scope in
            if scope.low == 2 { ended.open() }
        }
        trouble.keep(bad)
        trouble.keep(good)
        await ended.wait()
        #expect(try store.lookUp(ScopeHash(1, 1))?.answer == nil)
        #expect(try store.lookUp(ScopeHash(1, 2))?.answer != nil)
        while trouble.isTroubled { await Task.yield() }
        await Self.close(store)
    }
}
