import Testing

@testable import PlatformSimulator

/// The limits of contract yugu, section 13, without a network: the clock is a number.
@Suite struct AccountBookTests {
    /// 2026-10-08 15:59:59 UTC, one second before midnight in Beijing.
    private static let beforeMidnight = 1_791_475_199

    private static func book(_ change: (inout SimulatedPlatform.Configuration) -> Void) -> AccountBook {
        var configuration = SimulatedPlatform.Configuration()
        configuration.accounts = ["a", "b"].map { SimulatedPlatform.Account(appKey: $0, secretKey: "secret of \($0)") }
        change(&configuration)
        return AccountBook(configuration)
    }

    /// Reserves a place and gives it back.
    private static func call(
        _ book: inout AccountBook,
        _ appKey: String = "a",
        wantsReport: Bool = false,
        at second: Int = Self.beforeMidnight
    ) -> PlatformError? {
        do throws(PlatformError) {
            let place = try book.reserve(appKey, wantsReport: wantsReport, unixSeconds: second)
            book.release(place)
            return nil
        } catch {
            return error
        }
    }

    @Test func dailyCallsStartAnewAtMidnightInBeijing() {
        var book = Self.book { $0.dailyCalls = 2 }
        #expect(Self.call(&book) == nil)
        #expect(Self.call(&book) == nil)
        let refusal = Self.call(&book)
        #expect(refusal?.status == 429)
        #expect(refusal?.code == 42_903)
        #expect(refusal?.retryAfter == "1")
        #expect(Self.call(&book, "b") == nil)
        #expect(Self.call(&book, at: Self.beforeMidnight + 1) == nil)
        #expect(book.usage(of: "a", unixSeconds: Self.beforeMidnight + 1).today == 1)
        #expect(book.usage(of: "a", unixSeconds: Self.beforeMidnight + 1).total == 3)
        // The day before has all of its 86,400 s left at its first second.
        #expect(Self.call(&book, at: Self.beforeMidnight + 1) == nil)
        #expect(Self.call(&book, at: Self.beforeMidnight + 1)?.retryAfter == "86400")
    }

    @Test func daysBeforeTheEpochAreDaysToo() {
        var limit = DailyLimit(offset: 0, length: 86_400)
        limit.count("a", unixSeconds: -1)
        #expect(limit.used("a", unixSeconds: -86_400) == 1)
        #expect(limit.used("a", unixSeconds: 0) == 0)
        #expect(limit.secondsLeft(unixSeconds: -1) == 1)
    }

    @Test func withoutLimitsEverythingPasses() {
        var book = Self.book { _ in }
        let passes = (0..<1_000).allSatisfy { _ in Self.call(&book, wantsReport: true) == nil }
        #expect(passes)
    }

    @Test func reportsHaveALimitOfTheirOwn() {
        var book = Self.book { $0.dailyReports = 1 }
        #expect(Self.call(&book, wantsReport: true) == nil)
        #expect(Self.call(&book, wantsReport: true)?.code == 42_902)
        #expect(Self.call(&book) == nil)
        #expect(Self.call(&book, "b", wantsReport: true) == nil)
        #expect(Self.call(&book, wantsReport: true, at: Self.beforeMidnight + 1) == nil)
        // They are the customer's (contract yugu, section 13).
        book["b"]?.customer = "a"
        #expect(Self.call(&book, "b", wantsReport: true, at: Self.beforeMidnight + 1)?.code == 42_902)
    }

    @Test func theTotalEndsWith2012AndNoMidnightHelps() {
        var book = Self.book { $0.totalCalls = 1 }
        #expect(Self.call(&book) == nil)
        let refusal = Self.call(&book, at: Self.beforeMidnight + 86_400)
        #expect(refusal?.status == 400)
        #expect(refusal?.code == 2012)
        #expect(refusal?.retryAfter == nil)
    }

    @Test func keysOfOneCustomerShareTheirPlaces() throws {
        var book = Self.book { $0.concurrentCalls = 2 }
        book["a"]?.customer = "c"
        book["b"]?.customer = "c"
        let first = try book.reserve("a", wantsReport: false, unixSeconds: 0)
        _ = try book.reserve("b", wantsReport: false, unixSeconds: 0)
        #expect(Self.call(&book, "a")?.code == 42_901)
        #expect(Self.call(&book, "b")?.code == 42_901)
        // The customer may have changed meanwhile.
        book["a"]?.customer = nil
        book.release(first)
        #expect(Self.call(&book, "b") == nil)
    }

    @Test func anAccountsOwnLimitCountsBeforeTheCommonOne() {
        var book = Self.book { $0.dailyCalls = 0 }
        book["a"]?.dailyCalls = 1
        #expect(Self.call(&book) == nil)
        #expect(Self.call(&book)?.code == 42_903)
        #expect(Self.call(&book, "b")?.code == 42_903)
    }

    @Test func aRefusedCallTakesNothing() throws {
        var book = Self.book { $0.concurrentCalls = 0 }
        for _ in 0..<3 { #expect(Self.call(&book, wantsReport: true)?.code == 42_901) }
        let used = book.usage(of: "a", unixSeconds: Self.beforeMidnight)
        #expect(used.today == 0 && used.total == 0 && used.running == 0 && used.reportsToday == 0)
    }

    @Test func aResetKeepsWhatRuns() throws {
        var book = Self.book { $0.concurrentCalls = 1 }
        book["c"] = SimulatedPlatform.Account(appKey: "c", secretKey: "s")
        let place = try book.reserve("a", wantsReport: false, unixSeconds: 0)
        book.reset()
        #expect(book["c"] == nil)
        #expect(Self.call(&book)?.code == 42_901)
        book.release(place)
        #expect(Self.call(&book) == nil)
    }

    @Test func theBearerTokenIsTheFirstAccounts() {
        let book = Self.book { $0.bearerToken = "t" }
        #expect(book.account(bearer: "t")?.appKey == "a")
        #expect(book.account(bearer: "") == nil)
    }
}

@Suite struct CalendarDayTests {
    /// The expected days are those of `date -u -d @…`.
    @Test(arguments: [
        (0, 0, "19700101"), (951_782_399, 0, "20000228"), (951_782_400, 0, "20000229"), (951_868_800, 0, "20000301"),
        (1_791_475_199, 0, "20261008"), (1_791_475_199, 28_800, "20261008"), (1_791_475_200, 28_800, "20261009"),
        (-1, 0, "19691231"), (-2_208_988_800, 0, "19000101"), (1_830_297_600, 0, "20280101"),
        (4_107_542_400, 0, "21000301"),
    ])
    func daysAreThoseOfTheCalendar(seconds: Int, offset: Int, text: String) {
        #expect(CalendarDay(unixSeconds: seconds, offset: offset).compact == text)
    }
}
