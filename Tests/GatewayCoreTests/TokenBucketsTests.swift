import TestSupport
import Testing

@testable import GatewayCore

@Suite struct TokenBucketsTests {
    private let start = ContinuousClock.now
    private let rate = TokenBucket.Rate(1, per: .seconds(1), burst: 3)

    @Test func namesHaveBucketsOfTheirOwn() {
        var table = TokenBuckets(capacity: 8)
        for _ in 0..<3 { #expect(table.take(from: "a", rate: self.rate, at: self.start) == .allowed) }
        #expect(table.take(from: "a", rate: self.rate, at: self.start) == .refused(retryAfter: .seconds(1)))
        #expect(table.verdict(for: "a", rate: self.rate, at: self.start) == .refused(retryAfter: .seconds(1)))
        #expect(table.take(from: "b", rate: self.rate, at: self.start) == .allowed)
        #expect(table.count == 2)
    }

    @Test func fullBucketsAreForgottenFasterThanNamesCome() {
        var table = TokenBuckets(capacity: 1000)
        for index in 0..<1000 { _ = table.take(from: "old\(index)", rate: self.rate, at: self.start) }
        #expect(table.count == 1000)
        for index in 0..<999 { _ = table.take(from: "new\(index)", rate: self.rate, at: self.start + .seconds(5)) }
        #expect(table.count == 999)
    }

    @Test func aFloodOfNamesForgivesTheLeastAndNeverFills() {
        var table = TokenBuckets(capacity: 100)
        for _ in 0..<3 { _ = table.take(from: "spent", rate: self.rate, at: self.start) }
        for index in 0..<100_000 { _ = table.take(from: "made up \(index)", rate: self.rate, at: self.start) }
        #expect(table.count == 100)
        #expect(table.take(from: "spent", rate: self.rate, at: self.start) == .refused(retryAfter: .seconds(1)))
    }

    @Test func aNewRateHoldsAtOnce() {
        var table = TokenBuckets(capacity: 8)
        _ = table.take(from: "a", rate: self.rate, at: self.start)
        let slow = TokenBucket.Rate(1, per: .seconds(60), burst: 1)
        #expect(table.take(from: "a", rate: slow, at: self.start) == .refused(retryAfter: .seconds(1)))
        #expect(table.take(from: "a", rate: slow, at: self.start + .seconds(1)) == .allowed)
        #expect(
            table.take(from: "a", rate: slow, at: self.start + .seconds(1)) == .refused(retryAfter: .seconds(60))
        )
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func randomSchedulesAgreeWithATableThatIsSearched(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let capacity = Int.random(in: 1...20, using: &generator)
        let rate = TokenBucket.Rate(7, per: .seconds(1), burst: Int.random(in: 1...5, using: &generator))
        var table = TokenBuckets(capacity: capacity)
        var model: [String: TokenBucket] = [:]
        var now = self.start
        for _ in 0..<2000 {
            now += .nanoseconds(Int64.random(in: 1...60_000_000, using: &generator))
            let name = "u\(Int.random(in: 0..<capacity * 2, using: &generator))"
            model = model.filter { $0.value.fullAt > now }
            if model[name] == nil, model.count >= capacity,
                let closest = model.min(by: { $0.value.fullAt < $1.value.fullAt })
            {
                model[closest.key] = nil
            }
            let expected = model[name, default: TokenBucket(rate, at: now)].take(at: now)
            #expect(table.take(from: name, rate: rate, at: now) == expected)
            #expect(table.count <= capacity)
        }
    }
}

@Suite struct RateLimitsTests {
    private let start = ContinuousClock.now
    private let rates = RateLimits.Rates(
        client: .init(1, per: .seconds(1), burst: 5),
        user: .init(1, per: .seconds(10), burst: 2)
    )

    @Test func aUserBeyondItsLimitUsesUpNothingOfItsClients() {
        var limits = RateLimits()
        for _ in 0..<2 {
            #expect(limits.take(client: "c", user: "u", rates: self.rates, at: self.start) == .allowed)
        }
        for _ in 0..<10 {
            let verdict = limits.take(client: "c", user: "u", rates: self.rates, at: self.start)
            #expect(verdict == .refused(by: .user, retryAfter: .seconds(10)))
        }
        for user in ["v", "w", nil] {
            #expect(limits.take(client: "c", user: user, rates: self.rates, at: self.start) == .allowed)
        }
        let verdict = limits.take(client: "c", user: "x", rates: self.rates, at: self.start)
        #expect(verdict == .refused(by: .client, retryAfter: .seconds(1)))
        // The limit that holds up longest is told.
        let longest = limits.take(client: "c", user: "u", rates: self.rates, at: self.start)
        #expect(longest == .refused(by: .user, retryAfter: .seconds(10)))
    }

    @Test func equalUsersOfTwoClientsDoNotMeet() {
        var limits = RateLimits()
        for client in ["c", "d"] {
            for _ in 0..<2 {
                #expect(limits.take(client: client, user: "u", rates: self.rates, at: self.start) == .allowed)
            }
        }
    }

    @Test func aFloodOfOneClientsUsersTouchesNoOtherClients() {
        var limits = RateLimits(usersPerClient: 16)
        let rates = RateLimits.Rates(client: nil, user: self.rates.user)
        for _ in 0..<2 { _ = limits.take(client: "c", user: "u", rates: rates, at: self.start) }
        for index in 0..<1000 {
            for _ in 0..<2 { _ = limits.take(client: "d", user: "u\(index)", rates: rates, at: self.start) }
        }
        let verdict = limits.take(client: "c", user: "u", rates: rates, at: self.start)
        #expect(verdict == .refused(by: .user, retryAfter: .seconds(10)))
    }

    @Test func noRateIsNoLimit() {
        var limits = RateLimits()
        for _ in 0..<1000 {
            #expect(limits.take(client: "c", user: "u", rates: RateLimits.Rates(), at: self.start) == .allowed)
        }
    }
}
