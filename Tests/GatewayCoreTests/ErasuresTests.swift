import HTTPWire
import Store
import Telemetry
import TestSupport
import Testing

@testable import GatewayCore

@Suite struct ErasuresTests {
    private static let result = #"{"recordId":"eval_1"}"#

    private func erasures(_ bench: PaidCallBench) throws -> Erasures {
        Erasures(
            store: bench.store,
            calls: bench.calls,
            revocations: try TokenRevocations(store: bench.store),
            clock: bench.clock.clock,
            logger: Logger(level: .error, sink: SilentSink())
        )
    }

    private func users(_ bench: PaidCallBench) async throws -> [String: UsageCounts] {
        try await bench.calls.flushUsage()
        let filter = UsageFilter(client: "school", time: 0..<Int64.max)
        let rows = try await bench.store.usage(filter, by: .user, limit: 10)
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.group, $0.counts) })
    }

    @Test func aCallThatIsNotSentYetIsNotSentAnyMore() async throws {
        let gate = Gate()
        let bench = try PaidCallBench([.hold(gate, 200, Self.result)], concurrency: 1)
        async let first = bench.perform(key: "key-1", user: "ben")
        await gate.arrived()
        async let second = bench.perform(key: "key-2", user: "anna")
        await until { bench.calls.runningCount >= 2 }
        let progress = try await self.erasures(bench).eraseUser("anna", client: "school", by: "test")
        #expect(progress.isComplete && progress.counts.keys == 0)
        gate.open()
        #expect(try await first.status == 200)
        let refused = try await second
        #expect(refused.status == 410 && refused.reason == "erased")
        #expect(bench.transport.requests.count == 1)
        _ = await bench.close()
    }

    @Test func whatARunningCallCostIsCountedWithoutItsUser() async throws {
        let gate = Gate()
        let bench = try PaidCallBench([.hold(gate, 200, Self.result)])
        async let running = bench.perform(key: "key-1", user: "anna")
        await gate.arrived()
        let progress = try await self.erasures(bench).eraseUser("anna", client: "school", by: "test")
        #expect(progress.counts.openCalls == 1)
        gate.open()
        let answer = try await running
        #expect(answer.status == 200 && answer.response.fields[.stored] == "no")
        let users = try await self.users(bench)
        #expect(users[""]?.billed == 1 && users[""]?.calls == 1 && users.count == 1, "\(users)")
        #expect(try await bench.perform(key: "key-1", user: "anna").status == 410)
        _ = await bench.close()
    }

    @Test func whatTakesTooLongIsFinishedLater() async throws {
        let bench = try PaidCallBench((0..<70).map { .answer(200, #"{"recordId":"eval_\#($0)"}"#) })
        for index in 0..<70 { #expect(try await bench.perform(key: "key-\(index)", user: "anna").status == 200) }
        let erasures = try self.erasures(bench)
        let progress = try await erasures.eraseUser("anna", client: "school", by: "test", within: .zero)
        #expect(!progress.isComplete && progress.counts.keys == 64)
        // A gateway that goes down does not wait for it.
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await erasures.resume()
        }
        try await cancelled.value
        #expect(try await bench.store.pendingErasures().count == 1)
        try await erasures.resume()
        #expect(try await bench.store.pendingErasures().isEmpty)
        #expect(try bench.store.records(RecordFilter(client: "school"), limit: 10).isEmpty)
        #expect(try await self.users(bench)["anna"] == nil)
        _ = await bench.close()
    }

    @Test func oneThatCannotBeFinishedDoesNotHoldUpTheOthers() async throws {
        let bench = try PaidCallBench((0..<2).map { .answer(200, #"{"recordId":"eval_\#($0)"}"#) })
        for user in ["anna", "ben"] {
            #expect(try await bench.perform(key: user, user: user).status == 200)
            let erasure = NewErasure(client: "school", user: user, actor: "test", flights: nil, requestedAt: 0)
            _ = try await bench.store.beginErasure(erasure)
        }
        try await bench.store.administer(
            """
            CREATE TRIGGER stuck BEFORE DELETE ON keys WHEN OLD.user = 'anna'
            BEGIN SELECT RAISE(ABORT, 'stuck'); END
            """
        )
        let erasures = try self.erasures(bench)
        try await erasures.resume()
        #expect(try await bench.store.pendingErasures().count == 1)
        #expect(try await bench.store.administer("SELECT COUNT(*) FROM keys WHERE user = 'ben'") == 0)
        #expect(try await bench.store.administer("SELECT COUNT(*) FROM keys WHERE user = 'anna'") == 1)
        try await bench.store.administer("DROP TRIGGER stuck")
        try await erasures.resume()
        #expect(try await bench.store.pendingErasures().isEmpty)
        _ = await bench.close()
    }

    @Test func unknownOutcomesAreCountedApart() async throws {
        let bench = try PaidCallBench([.fail(.reset, bytesSent: 10), .answer(200, Self.result)])
        try await until { try await bench.perform(key: "key-1", user: "anna").status == 200 }
        let counts = try #require(try await self.users(bench)["anna"])
        #expect(counts.billed == 1 && counts.calls == counts.unknown + 1 && counts.failed == 0)
        _ = await bench.close()
    }
}
