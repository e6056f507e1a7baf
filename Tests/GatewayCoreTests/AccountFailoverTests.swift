import Cryptography
import HTTPWire
import Locking
import Store
import Testing

@testable import GatewayCore

@Suite struct AccountFailoverTests {
    private static let ok = ScriptedTransport.Step.answer(200, #"{"recordId":"eval_1"}"#)
    private static let disabled = ScriptedTransport.Step.answer(400, #"{"code":1012}"#)

    private static func bench(_ steps: [ScriptedTransport.Step], concurrency: Int = 64) throws -> PaidCallBench {
        var settings = Account.Settings(secretKey: Secret("other"))
        settings.concurrency = concurrency
        return try PaidCallBench(
            steps,
            concurrency: concurrency,
            further: [Account(name: "other", appKey: "ak_other", settings: settings)]
        )
    }

    private static func carriers(_ bench: PaidCallBench) -> [String] {
        bench.transport.requests.compactMap { $0.fields[HTTPField.Name(literal: "X-App-Key")] }
    }

    @Test func theRowSaysWhoCarriesTheCallBeforeItsFirstByte() async throws {
        let gate = Gate()
        let bench = try Self.bench([Self.disabled, .hold(gate, 200, #"{"recordId":"eval_1"}"#)])
        let call = Task { try await bench.perform() }
        await gate.arrived()
        #expect(try bench.row()?.appKey == "ak_other")
        gate.open()
        #expect(try await call.value.attempts == 2)
        #expect(try bench.row()?.appKey == "ak_other")
        #expect(try bench.store.record("eval_1", client: "school", user: nil)?.appKey == "ak_other")
        _ = await bench.close()
    }

    @Test(arguments: [
        disabled, ScriptedTransport.Step.answer(401, #"{"code":2010}"#), .answer(400, #"{"code":40001}"#),
        .fail(.connect, bytesSent: 0),
    ])
    func aCallThatRanAtThePlatformIsNeitherMovedNorForgotten(then: ScriptedTransport.Step) async throws {
        // 40901: the platform executes this key, whatever it says next.
        let running = ScriptedTransport.Step.answer(409, #"{"code":40901}"#, fields: [(.retryAfter, "2")])
        let bench = try Self.bench([running, then, then, then, Self.ok])
        #expect(try await bench.perform().status != 200)
        #expect(Set(Self.carriers(bench)).count == 1)
        let row = try #require(try bench.row())
        #expect(row.isUnresolved && row.appKey == Self.carriers(bench).first)
        _ = await bench.close()
    }

    @Test func aMoveThatCannotBeWrittenSendsNothingMore() async throws {
        let bench = try Self.bench([Self.disabled, Self.ok])
        try await bench.store.administer(
            "CREATE TRIGGER no BEFORE UPDATE ON keys BEGIN SELECT RAISE(FAIL, 'no'); END"
        )
        let reply = try await bench.perform()
        #expect(reply.status == 400 && reply.body == #"{"code":1012}"#)
        #expect(Self.carriers(bench) == ["ak_test"])
        _ = await bench.close()
    }

    @Test func everySlotIsGivenBack() async throws {
        let bench = try Self.bench([Self.disabled, Self.ok, Self.disabled, Self.ok, Self.ok], concurrency: 1)
        #expect(try await bench.perform(key: "key-1").status == 200)
        // Both are out now: the second one as well.
        #expect(try await bench.perform(key: "key-2").status == 400)
        // The first one is asked, as nobody else is left, and is right again.
        #expect(try await bench.perform(key: "key-3").status == 200)
        #expect(try await bench.perform(key: "key-4").status == 200)
        #expect(Self.carriers(bench) == ["ak_test", "ak_other", "ak_other", "ak_test", "ak_test"])
        _ = await bench.close()
    }
}
