import HTTPWire
import Testing

@testable import GatewayCore

@Suite struct CircuitBreakerTests {
    private let start = ContinuousClock.now

    private var configuration: CircuitBreaker.Configuration {
        var configuration = CircuitBreaker.Configuration()
        configuration.minimumCalls = 4
        return configuration
    }

    /// A breaker and its clock.
    private struct Bench {
        var breaker: CircuitBreaker
        var now: ContinuousClock.Instant

        /// Makes attempts; s, f and n are their outcomes.
        mutating func attempts(_ outcomes: String) {
            for outcome in outcomes {
                guard let permit = self.permit() else { return }
                let meaning: CircuitBreaker.Outcome = outcome == "s" ? .success : outcome == "f" ? .failure : .none
                self.breaker.record(meaning, for: permit, at: self.now)
            }
        }

        mutating func permit() -> CircuitBreaker.Permit? {
            guard case .admitted(let permit) = self.breaker.admit(at: self.now) else { return nil }
            return permit
        }

        var refusedFor: Duration? { self.breaker.refusedUntil(at: self.now).map { $0 - self.now } }
    }

    private var bench: Bench {
        Bench(breaker: CircuitBreaker(configuration: self.configuration), now: self.start)
    }

    @Test(
        arguments: [
            ("fff", false), ("ffff", true), ("ssff", true), ("sssff", false), ("sssfff", true), ("nnnfff", false),
            ("nnnffff", true), ("ssss", false), ("fsss", false),
        ]
    )
    func opening(outcomes: String, opens: Bool) {
        var bench = self.bench
        bench.attempts(outcomes)
        #expect(bench.refusedFor == (opens ? .seconds(5) : nil))
        #expect((bench.permit() == nil) == opens)
    }

    @Test func withoutFailuresItStaysClosedWhateverTheRatio() {
        var configuration = self.configuration
        configuration.failureRatio = 0
        var bench = Bench(breaker: CircuitBreaker(configuration: configuration), now: self.start)
        bench.attempts("ssssssss")
        #expect(bench.refusedFor == nil)
    }

    @Test func oldCallsDoNotCount() {
        var bench = self.bench
        bench.attempts("fff")
        bench.now += .seconds(10)
        bench.attempts("f")
        #expect(bench.refusedFor == nil)
        bench.now += .milliseconds(9999)
        bench.attempts("fff")
        #expect(bench.refusedFor == .seconds(5))
    }

    @Test func openTimesGrowToTheirCapAndBeginAgainAfterASuccess() {
        var bench = self.bench
        bench.attempts("ffff")
        for seconds in [5, 10, 20, 40, 60, 60] {
            #expect(bench.refusedFor == .seconds(seconds))
            bench.now += .seconds(seconds) - .nanoseconds(1)
            #expect(bench.breaker.admit(at: bench.now) == .refused(until: bench.now + .nanoseconds(1)))
            bench.now += .nanoseconds(1)
            bench.attempts("f")
        }
        bench.now += .seconds(60)
        bench.attempts("s")
        #expect(bench.refusedFor == nil)
        // What was before does not count.
        bench.attempts("fff")
        #expect(bench.refusedFor == nil)
        bench.attempts("f")
        #expect(bench.refusedFor == .seconds(5))
    }

    @Test func halfOpenLetsOneProbeThroughAtATime() {
        var bench = self.bench
        bench.attempts("ffff")
        bench.now += .seconds(5)
        let first = bench.permit()
        #expect(first != nil)
        #expect(bench.permit() == nil)
        #expect(bench.refusedFor == .seconds(1))
        // A probe that says nothing leaves its place to the next.
        if let first { bench.breaker.record(.none, for: first, at: bench.now) }
        let second = bench.permit()
        #expect(second != nil)
        #expect(bench.permit() == nil)
        if let second { bench.breaker.record(.success, for: second, at: bench.now) }
        #expect(bench.permit() != nil && bench.permit() != nil)
    }

    @Test func aProbeWithoutNewsIsReplacedAndHasNoSayAnyMore() {
        var bench = self.bench
        bench.attempts("ffff")
        bench.now += .seconds(5)
        let lost = bench.permit()
        bench.now += .milliseconds(119_500)
        #expect(bench.refusedFor == .milliseconds(500))
        bench.now += .milliseconds(500)
        let second = bench.permit()
        #expect(second != nil)
        if let lost { bench.breaker.record(.success, for: lost, at: bench.now) }
        #expect(bench.permit() == nil)
        if let second { bench.breaker.record(.failure, for: second, at: bench.now) }
        #expect(bench.refusedFor == .seconds(10))
    }

    @Test func attemptsFromBeforeAChangeHaveNoSay() {
        var bench = self.bench
        let early = (0..<8).compactMap { _ in bench.permit() }
        bench.attempts("ffff")
        for permit in early { bench.breaker.record(.failure, for: permit, at: bench.now) }
        #expect(bench.refusedFor == .seconds(5))
        bench.now += .seconds(5)
        let probe = bench.permit()
        for permit in early { bench.breaker.record(.success, for: permit, at: bench.now) }
        #expect(bench.permit() == nil)
        if let probe { bench.breaker.record(.success, for: probe, at: bench.now) }
        for permit in early { bench.breaker.record(.failure, for: permit, at: bench.now) }
        #expect(bench.refusedFor == nil)
    }
}

@Suite struct CircuitBreakerOutcomeTests {
    private static func response(_ status: Int) -> HTTPTransportResponse {
        HTTPTransportResponse(status: status, fields: HTTPFields(), body: [])
    }

    @Test(
        arguments: [
            (500, PlatformCode.Kind.retryable, 500, .failure), (502, .retryable, 502, .failure),
            (200, .retryable, 500, .failure), (500, .final, 500, .success), (429, .retryable, 429, .success),
            (429, .retryable, 502, .success), (400, .final, 400, .success), (409, .inProgress, 409, .success),
            (401, .credentialsOrClock, 401, .success), (400, .retryable, 400, .success),
        ] as [(Int, PlatformCode.Kind, Int, CircuitBreaker.Outcome)]
    )
    func coded(status: Int, kind: PlatformCode.Kind, usualStatus: Int, outcome: CircuitBreaker.Outcome) {
        let code = PlatformCode(value: 1, kind: kind, usualStatus: usualStatus)
        #expect(CircuitBreaker.Outcome(of: .coded(Self.response(status), code)) == outcome)
    }

    @Test(
        arguments: [(404, .success), (408, .success), (429, .success), (500, .failure), (503, .failure)]
            as [(Int, CircuitBreaker.Outcome)]
    )
    func codeless(status: Int, outcome: CircuitBreaker.Outcome) {
        #expect(CircuitBreaker.Outcome(of: .codeless(Self.response(status))) == outcome)
    }

    @Test(arguments: HTTPTransportError.Reason.allCases)
    func failed(reason: HTTPTransportError.Reason) {
        let isOurs = [.tooLarge, .cancelled, .refused].contains(reason)
        let error = HTTPTransportError(reason: reason, bytesSent: 0, detail: "")
        #expect(CircuitBreaker.Outcome(of: .failed(error)) == (isOurs ? .none : .failure))
    }

    @Test func theRest() {
        #expect(CircuitBreaker.Outcome(of: .answered(Self.response(200), AnswerFacts())) == .success)
        #expect(CircuitBreaker.Outcome(of: .credentialsRefused) == .success)
        #expect(CircuitBreaker.Outcome(of: .malformed) == .failure)
    }
}
