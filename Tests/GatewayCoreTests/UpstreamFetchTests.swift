import Cryptography
import HTTPWire
import Telemetry
import Testing

@testable import GatewayCore

@Suite struct UpstreamFetchTests {
    private static let operation = PlainOperation(isDeduplicated: true)

    private let account: Account
    /// One for all calls: all of them are made at the same moment, however long they take.
    private let manual = ManualClock()

    init() {
        var settings = Account.Settings(secretKey: Secret("secret"))
        // Here it is the retry budget that ends them.
        settings.breaker.minimumCalls = 1000
        self.account = Account(name: "main", appKey: "ak_test", settings: settings)
    }

    private func fetch(
        from transport: ScriptedTransport,
        limiter: ClientLimiter = ClientLimiter()
    ) async throws(GatewayError) -> HTTPResponse {
        var policy = RetryPolicy()
        // No wait, which would move the clock: all calls fall into one window of the budget.
        policy.initialDelay = .zero
        let services = UpstreamServices(
            transport: transport,
            clock: self.manual.clock,
            policy: policy,
            limiter: limiter,
            logger: Logger(level: .error, sink: SilentSink()),
            metrics: GatewayMetrics(registry: MetricsRegistry())
        )
        let account = self.account
        let fetch = UpstreamFetch(
            services: services,
            account: account,
            route: .free("report"),
            principal: Principal(client: "school", user: "mei", scopes: []),
            requestID: "r"
        )
        return try await fetch.run(
            request: { Self.operation.request(account: account, timestamp: $0, nonce: $1, upstreamKey: "-") },
            classify: { Self.operation.classify($0) }
        )
    }

    @Test func itCountsAmongTheCallsAtATimeOfItsClientAndUser() async throws {
        for limits in [\ClientLimits.concurrency, \.userConcurrency] {
            let gate = Gate()
            let limiter = ClientLimiter()
            var settings = LimitSettings()
            settings.defaults[keyPath: limits] = 1
            limiter.change(to: settings)
            let transport = ScriptedTransport([
                .hold(gate, 200, #"{"recordId":"eval_1"}"#), .answer(200, #"{"recordId":"eval_1"}"#),
            ])
            async let first = self.fetch(from: transport, limiter: limiter)
            await gate.arrived()
            let error = await #expect(throws: GatewayError.self) {
                try await self.fetch(from: transport, limiter: limiter)
            }
            #expect(error?.code == .concurrencyLimit)
            gate.open()
            #expect(try await first.status.code == 200)
            #expect(try await self.fetch(from: transport, limiter: limiter).status.code == 200)
        }
    }

    @Test func aHundredFailingCallsAreRetriedTwentyTimes() async throws {
        let busy = ScriptedTransport.Step.answer(500, #"{"code":50000}"#)
        let transport = ScriptedTransport(Array(repeating: busy, count: 300))
        for _ in 0..<100 { _ = try await self.fetch(from: transport) }
        #expect(transport.requests.count == 120)
    }

    @Test(arguments: [
        (ScriptedTransport.Step.fail(.connect, bytesSent: 0), 3), (.answer(200, "half"), 3),
        (.answer(401, #"{"code":2010}"#), 1),
    ])
    func aFailureTellsHowOftenThePlatformWasAsked(step: ScriptedTransport.Step, attempts: Int) async throws {
        let error = await #expect(throws: GatewayError.self) {
            try await self.fetch(from: ScriptedTransport([step, step, step]))
        }
        #expect(error?.status == 502 && error?.attempts == attempts)
    }
}
