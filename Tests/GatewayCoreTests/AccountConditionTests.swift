import Cryptography
import Testing

@testable import GatewayCore

/// How long an account is passed over for what its platform said.
@Suite struct AccountConditionTests {
    // 2027-01-15 08:00 UTC, 16:00 in Beijing.
    private let manual = ManualClock(unixMilliseconds: 1_800_000_000_000)
    private let account = Account(
        name: "main",
        appKey: "ak",
        settings: Account.Settings(secretKey: Secret("secret"))
    )

    private var availability: AccountChoice.Availability {
        self.account.availability(for: "evaluate", at: self.manual.clock.now())
    }

    private var state: String { self.account.status(at: self.manual.clock.now()).state }

    @Test func aDayThatIsUsedUpEndsAtMidnightInBeijing() {
        #expect(self.account.note(.exhaustedToday, clock: self.manual.clock))
        #expect(self.availability == .unavailable(.switchedOff, retryAfter: .seconds(8 * 3600)))
        #expect(self.state == "exhausted")
        self.manual.advance(by: .seconds(8 * 3600 - 1))
        #expect(self.availability == .unavailable(.switchedOff, retryAfter: .seconds(1)))
        self.manual.advance(by: .seconds(1))
        #expect(self.availability == .available && self.state == "usable")
    }

    @Test func quotaAndBalanceAreAskedForAgainAfterAMinute() {
        #expect(self.account.note(.exhausted, clock: self.manual.clock))
        #expect(!self.account.note(.exhausted, clock: self.manual.clock), "that is no news")
        self.manual.advance(by: .seconds(59))
        #expect(self.availability == .unavailable(.switchedOff, retryAfter: .seconds(1)))
        self.manual.advance(by: .seconds(1))
        #expect(self.availability == .available)
    }

    @Test func aDisabledAccountStaysOutUntilAReload() {
        #expect(self.account.note(.disabled, clock: self.manual.clock))
        self.manual.advance(by: .seconds(30 * 86_400))
        #expect(self.availability == .unavailable(.switchedOff, retryAfter: nil) && self.state == "disabled")
        self.account.change(to: self.account.settings, at: self.manual.clock.now())
        #expect(self.availability == .available)
    }

    @Test func refusedCredentialsAreProbedEveryTenSeconds() {
        #expect(self.account.note(.credentials, clock: self.manual.clock))
        #expect(self.availability == .unavailable(.notReady, retryAfter: .seconds(10)))
        self.manual.advance(by: .seconds(10))
        // Due for a probe: otherwise it would never recover behind a good second account.
        #expect(self.availability == .available && self.state == "refused" && !self.account.isReady)
        #expect(self.account.noteAcceptance(ofAll: false, at: self.manual.clock.now()))
        #expect(self.availability == .available && self.account.isReady)
    }

    @Test(arguments: [AccountFault.disabled, .exhausted, .exhaustedToday])
    func whatCostsNothingProvesNeitherQuotaNorBalance(fault: AccountFault) {
        #expect(self.account.note(fault, clock: self.manual.clock))
        #expect(!self.account.noteAcceptance(ofAll: false, at: self.manual.clock.now()))
        #expect(self.availability != .available)
        #expect(self.account.noteAcceptance(ofAll: true, at: self.manual.clock.now()))
        #expect(self.availability == .available)
    }
}
