import Testing

@testable import GatewayCore

@Suite struct AccountChoiceTests {
    private typealias Availability = AccountChoice.Availability

    private static let broken = Availability.unavailable(.breaker, retryAfter: .seconds(5))
    private static let spent = Availability.unavailable(.quota, retryAfter: .seconds(3600))
    private static let disabled = Availability.unavailable(.switchedOff, retryAfter: nil)
    private static let refused = Availability.unavailable(.notReady, retryAfter: nil)

    @Test(
        arguments: [
            ([.available], .account(0)),
            ([.available, .available], .account(0)),
            ([broken, .available], .account(1)),
            ([spent, refused, .available], .account(2)),
            ([disabled, .available], .account(1)),
            // When nobody else is left, the platform's own word is better than ours.
            ([refused, disabled, disabled], .account(1)),
            ([broken], .refused(.breaker, retryAfter: .seconds(5))),
            // The obstacle that goes first is told, and the operator's order decides between equals.
            ([spent, broken, refused], .refused(.breaker, retryAfter: .seconds(5))),
            ([refused, spent], .refused(.quota, retryAfter: .seconds(3600))),
            ([refused, refused], .refused(.notReady, retryAfter: nil)),
            ([], .refused(.notReady, retryAfter: nil)),
        ] as [([AccountChoice.Availability], AccountChoice.Decision)]
    )
    func first(accounts: [AccountChoice.Availability], decision: AccountChoice.Decision) {
        var choice = AccountChoice()
        #expect(choice.first(of: accounts) == decision)
    }

    @Test(
        arguments: [
            ([.available, .available], 1, .account(1)),
            ([.available, broken], 1, .refused(.breaker, retryAfter: .seconds(5))),
            ([.available, refused], 1, .refused(.notReady, retryAfter: nil)),
            // A replay needs no quota.
            ([.available, spent], 1, .account(1)),
            ([.available, disabled], 1, .account(1)),
            ([.available], 1, .refused(.notReady, retryAfter: nil)),
        ] as [([AccountChoice.Availability], Int, AccountChoice.Decision)]
    )
    func sticky(accounts: [AccountChoice.Availability], sticky: Int, decision: AccountChoice.Decision) {
        var choice = AccountChoice(sticky: sticky)
        #expect(choice.first(of: accounts) == decision)
        for fault in AccountFault.allCases {
            #expect(choice.next(after: .fault(fault), leftDoubt: false, of: accounts) == nil)
        }
    }

    @Test(arguments: AccountFault.allCases)
    func faultsLeadThroughAllAccountsOnce(fault: AccountFault) {
        var choice = AccountChoice()
        let accounts = [Self.broken, .available, Self.spent, .available, .available, Self.disabled]
        #expect(choice.first(of: accounts) == .account(1))
        #expect(choice.next(after: .fault(fault), leftDoubt: false, of: accounts) == 3)
        #expect(choice.next(after: .fault(fault), leftDoubt: false, of: accounts) == 4)
        #expect(choice.next(after: .fault(fault), leftDoubt: false, of: accounts) == nil)
    }

    @Test func nothingElseDoesAndNoFaultAfterADoubt() {
        var choice = AccountChoice()
        let accounts = [Availability.available, .available]
        #expect(choice.first(of: accounts) == .account(0))
        #expect(choice.next(after: .other, leftDoubt: false, of: accounts) == nil)
        #expect(choice.next(after: .fault(.exhausted), leftDoubt: true, of: accounts) == nil)
        #expect(choice.next(after: .fault(.exhausted), leftDoubt: false, of: accounts) == 1)
    }

    @Test func anAccountThatBecameUnavailableMeanwhileIsPassedOver() {
        var choice = AccountChoice()
        #expect(choice.first(of: [.available, .available, .available]) == .account(0))
        let next = choice.next(after: .fault(.disabled), leftDoubt: false, of: [.available, Self.broken, .available])
        #expect(next == 2)
    }
}
