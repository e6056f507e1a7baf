import Testing

@testable import GatewayCore

@Suite struct ClientLimiterTests {
    private let manual = ManualClock()

    private func limiter(_ configure: (inout ClientLimits) -> Void) -> ClientLimiter {
        var settings = LimitSettings()
        configure(&settings.defaults)
        return ClientLimiter(settings: settings, clock: self.manual.clock)
    }

    private func refusal(_ body: () throws(GatewayError) -> Void) -> GatewayError? {
        do throws(GatewayError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    private func principal(_ client: String, _ user: String? = nil) -> Principal {
        Principal(client: client, user: user, scopes: [])
    }

    @Test func withoutLimitsNothingIsRefused() {
        let limiter = ClientLimiter(clock: self.manual.clock)
        for _ in 0..<1000 {
            #expect(
                self.refusal { () throws(GatewayError) in try limiter.countRequest(of: self.principal("a")) } == nil
            )
        }
    }

    @Test func requestsBeyondTheRateAreToldWhenToComeBack() {
        let limiter = self.limiter { $0.rate = TokenBucket.Rate(2, per: .seconds(3), burst: 2) }
        let ask = { () throws(GatewayError) in try limiter.countRequest(of: self.principal("a", "u")) }
        #expect(self.refusal(ask) == nil)
        #expect(self.refusal(ask) == nil)
        let error = self.refusal(ask)
        #expect(error?.status == 429 && error?.code.rawValue == 42900 && error?.reason == "client_rate")
        // One of two tokens in three seconds is back after 1.5 s; a header says whole seconds.
        #expect(error?.retryAfter == 2)
        self.manual.advance(by: .seconds(2))
        #expect(self.refusal(ask) == nil)
    }

    @Test func aUserBeyondItsRateHoldsUpNoOther() {
        let limiter = self.limiter { $0.userRate = TokenBucket.Rate(1, per: .seconds(60), burst: 1) }
        let ask = { (user: String?) in
            self.refusal { () throws(GatewayError) in try limiter.countRequest(of: self.principal("a", user)) }
        }
        #expect(ask("mei") == nil)
        #expect(ask("mei")?.reason == "user_rate")
        #expect(ask("li") == nil)
        #expect(ask(nil) == nil)
    }

    @Test func callsAtATimeAreCountedByClientAndUser() {
        let limiter = self.limiter {
            $0.concurrency = 3
            $0.userConcurrency = 2
        }
        let begin = { (client: String, user: String?) in
            self.refusal { () throws(GatewayError) in try limiter.beginCall(client: client, user: user) }
        }
        #expect(begin("a", "mei") == nil)
        #expect(begin("a", "mei") == nil)
        let third = begin("a", "mei")
        #expect(third?.status == 429 && third?.code.rawValue == 42901 && third?.reason == "user_concurrency")
        #expect(begin("a", nil) == nil)
        #expect(begin("a", "li")?.reason == "client_concurrency")
        #expect(begin("b", "mei") == nil)
        limiter.endCall(client: "a", user: "mei")
        #expect(begin("a", "li") == nil)
    }

    @Test func changedLimitsHoldAtOnceAndForgetNothing() {
        let limiter = ClientLimiter(clock: self.manual.clock)
        let begin = { self.refusal { () throws(GatewayError) in try limiter.beginCall(client: "a", user: nil) } }
        #expect(begin() == nil)
        var settings = LimitSettings()
        settings.clients["a"] = ClientLimits()
        settings.clients["a"]?.concurrency = 1
        limiter.change(to: settings)
        #expect(begin()?.code.rawValue == 42901)
        limiter.endCall(client: "a", user: nil)
        #expect(begin() == nil)
    }
}
