import HTTPWire
import Telemetry
import Testing

@testable import GatewayCore

/// What is refused before the content is read.
@Suite struct PaidHeadTests {
    private static func principal(_ token: String, maximumCalls: Int?) -> Principal {
        var principal = Principal(client: "school", user: "mei", scopes: [.evaluate])
        principal.credential = .token(id: token)
        principal.maximumCalls = maximumCalls
        principal.expiresAt = .max
        return principal
    }

    /// The reason for which a request is refused by its head, or nil.
    private static func refusal(_ bench: PaidCallBench, _ principal: Principal, key: String) throws -> String? {
        let key = try #require(IdempotencyKey(key))
        do throws(GatewayError) {
            try bench.calls.checkHead(of: principal, key)
            return nil
        } catch {
            #expect(error.status == (error.reason == "disk_low" ? 503 : 403))
            return error.reason
        }
    }

    @Test func whatATokenDoesNotGiveIsRefusedByItsHead() async throws {
        let bench = try PaidCallBench([.answer(200, #"{"recordId":"a"}"#)])
        let mei = Self.principal("t", maximumCalls: 1)
        #expect(try Self.refusal(bench, mei, key: "first") == nil)
        #expect(try await bench.perform(key: "first", as: mei).status == 200)
        #expect(try Self.refusal(bench, mei, key: "second") == "token_exhausted")
        #expect(try Self.refusal(bench, mei, key: "first") == nil, "a replay costs nothing")
        #expect(try await bench.perform(key: "first", as: mei).isReplayed)
        #expect(try Self.refusal(bench, Self.principal("other", maximumCalls: 1), key: "second") == nil)
        #expect(try Self.refusal(bench, Self.principal("t", maximumCalls: nil), key: "second") == nil)
        #expect(bench.transport.requests.count == 1)
        _ = await bench.close()
    }

    @Test func whatIsUnderWayOrUnknownOrErasedIsNotTheTokensAffair() async throws {
        let gate = Gate()
        let reset = ScriptedTransport.Step.fail(.reset, bytesSent: 10)
        let bench = try PaidCallBench([reset, reset, reset, .hold(gate, 200, #"{"recordId":"a"}"#)])
        let mei = Self.principal("t", maximumCalls: 1)
        #expect(try await bench.perform(key: "lost", as: mei).status == 502)
        #expect(try Self.refusal(bench, mei, key: "lost") == nil, "to ask again is the same call")
        // Another token of the user's carries a call.
        async let running = bench.perform(key: "running", as: Self.principal("other", maximumCalls: 1))
        await gate.arrived()
        #expect(try Self.refusal(bench, mei, key: "running") == nil, "whoever waits for it takes no call")
        gate.open()
        _ = try await running
        #expect(try Self.refusal(bench, mei, key: "running") == nil)
        #expect(try Self.refusal(bench, mei, key: "new") == "token_exhausted")
        let erasures = Erasures(
            store: bench.store,
            calls: bench.calls,
            revocations: try TokenRevocations(store: bench.store),
            clock: bench.clock.clock,
            logger: Logger(level: .error, sink: SilentSink())
        )
        _ = try await erasures.eraseUser("mei", client: "school", by: "test")
        let reply = try await bench.perform(key: "lost", as: mei)
        #expect(try Self.refusal(bench, mei, key: "lost") == nil && reply.status == 410, "\(reply.body)")
        _ = await bench.close()
    }

    @Test func aCallThatWasNotExecutedIsGivenBackAndLetIn() async throws {
        let bench = try PaidCallBench([.fail(.refused, bytesSent: 0)])
        let mei = Self.principal("t", maximumCalls: 1)
        while try await bench.perform(key: "first", as: mei).status != 502 {}
        #expect(try Self.refusal(bench, mei, key: "second") == nil)
        _ = await bench.close()
    }

    @Test func aDiskThatIsNearlyFullRefusesWhatIsNotKnown() async throws {
        let bench = try PaidCallBench([.answer(200, #"{"recordId":"a"}"#)])
        let mei = Principal(client: "school", user: "mei", scopes: [.evaluate])
        #expect(try await bench.perform(key: "first", as: mei).status == 200)
        bench.calls.isDiskLow = true
        #expect(try Self.refusal(bench, mei, key: "first") == nil)
        #expect(try Self.refusal(bench, mei, key: "second") == "disk_low")
        bench.calls.isDiskLow = false
        #expect(try Self.refusal(bench, mei, key: "second") == nil)
        _ = await bench.close()
    }
}
