import Testing

@testable import GatewayCore

@Suite struct RetryPolicyTests {
    @Test(
        arguments: [
            (1, nil, 0.5, Duration.milliseconds(200)),
            (2, nil, 0.5, .milliseconds(400)),
            (5, nil, 0.5, .milliseconds(3200)),
            (6, nil, 0.5, .seconds(4)),
            (60, nil, 0.5, .seconds(4)),
            (1, nil, 0.0, .milliseconds(140)),
            (1, .seconds(2), 0.5, .seconds(2)),
            (1, .milliseconds(1), 0.5, .milliseconds(200)),
            (1, .seconds(3600), 0.5, .seconds(30)),
        ] as [(Int, Duration?, Double, Duration)]
    )
    func delay(number: Int, retryAfter: Duration?, random: Double, delay: Duration) {
        let found = RetryPolicy().delay(after: number, retryAfter: retryAfter, random: random)
        #expect(abs((found - delay) / .microseconds(1)) < 1)
    }

    @Test func threeAttemptsAndNoMore() {
        var schedule = AttemptSchedule(policy: RetryPolicy())
        #expect(schedule.next(after: .retryable(retryAfter: nil), random: 0.5) != .finish)
        #expect(schedule.next(after: .retryable(retryAfter: nil), random: 0.5) != .finish)
        #expect(schedule.next(after: .retryable(retryAfter: nil), random: 0.5) == .finish)
    }

    @Test func pollingUsesNoAttempt() {
        var schedule = AttemptSchedule(policy: RetryPolicy())
        for _ in 0..<100 {
            let next = schedule.next(after: .inProgress(retryAfter: .seconds(2)), random: 0.5)
            #expect(next == .attempt(after: .seconds(2), isRetry: false))
        }
        #expect(schedule.next(after: .retryable(retryAfter: nil), random: 0.5) != .finish)
    }

    @Test func oneFreshSignatureAndNoMore() {
        var schedule = AttemptSchedule(policy: RetryPolicy())
        #expect(schedule.next(after: .credentialsOrClock, random: 0.5) == .attempt(after: .zero, isRetry: false))
        #expect(schedule.next(after: .credentialsOrClock, random: 0.5) == .finish)
    }

    @Test(
        arguments: [
            ("2", Duration.seconds(2)), ("0.25", .milliseconds(250)), ("-1", .zero), ("999999999", .seconds(86_400)),
            ("Fri, 15 Jan 2027 08:00:10 GMT", .seconds(10)), ("Fri, 15 Jan 2027 07:00:00 GMT", .zero),
            ("soon", nil), ("", nil), ("nan", nil),
        ] as [(String, Duration?)]
    )
    func retryAfter(text: String, duration: Duration?) {
        #expect(RetryAfter.duration(of: text, now: 1_800_000_000_000) == duration)
    }

    @Test func retriesAreTenOrAFifthOfTheCallsWithinTenSeconds() {
        let start = ContinuousClock.now
        var recent = RecentCalls()
        #expect(Self.taken(from: &recent, at: start) == 10)
        for _ in 0..<100 { recent.noteCall(at: start + .seconds(1)) }
        #expect(Self.taken(from: &recent, at: start + .seconds(2)) == 10)
        #expect(Self.taken(from: &recent, at: start + .seconds(13)) == 10)
    }

    /// How many retries are given before the first refusal.
    private static func taken(from recent: inout RecentCalls, at now: ContinuousClock.Instant) -> Int {
        (0..<100).prefix { _ in recent.takeRetry(at: now) }.count
    }
}
