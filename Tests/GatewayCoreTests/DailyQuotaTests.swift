import Locking
import TestSupport
import Testing

@testable import GatewayCore

@Suite struct DailyQuotaTests {
    private static let day: Int64 = 86_400_000
    /// 2027-01-15 08:00:00 UTC.
    private static let noon: Int64 = 1_800_000_000_000

    private typealias Allowance = DailyQuota.Allowance

    @Test(
        arguments: [
            // Reset offset, a time of day in UTC, and how long the day still lasts.
            (Duration.zero, 0, 24 * 60), (.zero, 23 * 60 + 59, 1),
            (.seconds(8 * 3600), 15 * 60 + 59, 1), (.seconds(8 * 3600), 16 * 60, 24 * 60),
            (.seconds(-5 * 3600), 4 * 60 + 59, 1), (.seconds(-5 * 3600), 5 * 60, 24 * 60),
        ] as [(Duration, Int64, Int64)]
    )
    func reset(offset: Duration, minuteOfDay: Int64, minutesLeft: Int64) {
        let quota = DailyQuota(limits: Allowance(calls: 1), dayOffset: offset)
        for midnight in [20_833, 0, -1] as [Int64] {
            let now = midnight * Self.day + minuteOfDay * 60_000
            #expect(quota.resetInstant(at: now) - now == minutesLeft * 60_000)
            #expect(quota.day(at: quota.resetInstant(at: now)) == quota.day(at: now) + 1)
            #expect(quota.day(at: quota.resetInstant(at: now) - 1) == quota.day(at: now))
        }
    }

    @Test func callsAreRefusedBeyondTheDaysNumberUntilTheNextDay() throws {
        var quota = DailyQuota(limits: Allowance(calls: 2), dayOffset: .seconds(8 * 3600))
        for _ in 0..<2 { _ = try quota.reserve(audioMilliseconds: 5000, at: Self.noon) }
        let refusal = DailyQuota.Refusal(
            limit: .calls,
            remaining: Allowance(calls: 0),
            // 16:00 UTC is midnight in UTC+8.
            resetsAt: Self.noon + 8 * 3_600_000
        )
        #expect(throws: refusal) { try quota.reserve(audioMilliseconds: 0, at: Self.noon) }
        #expect(throws: refusal) { try quota.reserve(audioMilliseconds: 0, at: refusal.resetsAt - 1) }
        _ = try quota.reserve(audioMilliseconds: 0, at: refusal.resetsAt)
        #expect(quota.remaining(at: refusal.resetsAt) == Allowance(calls: 1))
    }

    @Test func audioIsRefusedBeyondTheDaysTimeAndAShorterOneStillFits() throws {
        var quota = DailyQuota(limits: Allowance(audioMilliseconds: 10_000))
        _ = try quota.reserve(audioMilliseconds: 7000, at: Self.noon)
        let refusal = #expect(throws: DailyQuota.Refusal.self) {
            try quota.reserve(audioMilliseconds: 3001, at: Self.noon)
        }
        #expect(refusal?.limit == .audio)
        #expect(refusal?.remaining == Allowance(audioMilliseconds: 3000))
        _ = try quota.reserve(audioMilliseconds: 3000, at: Self.noon)
        #expect(quota.remaining(at: Self.noon) == Allowance(audioMilliseconds: 0))
    }

    @Test func whatACallDidNotNeedIsThereForTheNext() throws {
        var quota = DailyQuota(limits: Allowance(calls: 5, audioMilliseconds: 10_000))
        let first = try quota.reserve(audioMilliseconds: 10_000, at: Self.noon)
        let change = quota.settle(first, audioMilliseconds: 4000)
        #expect(change == DayUsage(day: first.day, calls: 0, audioMilliseconds: -6000))
        let second = try quota.reserve(audioMilliseconds: 6000, at: Self.noon)
        #expect(quota.giveBack(second) == DayUsage(day: first.day, calls: -1, audioMilliseconds: -6000))
        #expect(quota.remaining(at: Self.noon) == Allowance(calls: 4, audioMilliseconds: 6000))
    }

    @Test func aCallLongerThanReservedIsCountedAndNothingMoreIsGiven() throws {
        var quota = DailyQuota(limits: Allowance(audioMilliseconds: 10_000))
        let first = try quota.reserve(audioMilliseconds: 5000, at: Self.noon)
        _ = quota.settle(first, audioMilliseconds: 12_000)
        #expect(quota.remaining(at: Self.noon) == Allowance(audioMilliseconds: 0))
        #expect(throws: DailyQuota.Refusal.self) { try quota.reserve(audioMilliseconds: 1, at: Self.noon) }
    }

    @Test func aReservationCountsToTheDayItWasMadeOn() throws {
        var quota = DailyQuota(limits: Allowance(calls: 1, audioMilliseconds: 10_000))
        let midnight = quota.resetInstant(at: Self.noon)
        let before = try quota.reserve(audioMilliseconds: 9000, at: midnight - 1)
        let after = try quota.reserve(audioMilliseconds: 2000, at: midnight)
        #expect(after.day == before.day + 1)
        #expect(quota.settle(before, audioMilliseconds: 8000).day == before.day)
        #expect(quota.usage(at: midnight) == after)
        #expect(quota.usage(at: midnight - 1) == DayUsage(day: before.day, calls: 1, audioMilliseconds: 8000))
        #expect(quota.giveBack(before).day == before.day)
    }

    @Test func aClockCorrectedAcrossMidnightOrByYearsFindsItsCount() throws {
        var quota = DailyQuota(limits: Allowance(calls: 1))
        _ = try quota.reserve(audioMilliseconds: 0, at: Self.noon)
        for wrong in [Self.noon + Self.day, Self.noon + 40_000 * Self.day] {
            _ = try quota.reserve(audioMilliseconds: 0, at: wrong)
            #expect(throws: DailyQuota.Refusal.self) { try quota.reserve(audioMilliseconds: 0, at: Self.noon) }
        }
    }

    @Test func onlyAFewDaysAreKeptAndLateSettlementsStillNameTheirs() throws {
        var quota = DailyQuota(limits: Allowance())
        let first = try quota.reserve(audioMilliseconds: 1000, at: 0)
        for index in 1...100 { _ = try quota.reserve(audioMilliseconds: 1000, at: Int64(index) * Self.day) }
        #expect(quota.snapshot.map(\.day) == [98, 99, 100])
        #expect(quota.settle(first, audioMilliseconds: 0) == DayUsage(day: 0, calls: 0, audioMilliseconds: -1000))
    }

    @Test func fiftyCallsAtOnceGetTheLastOne() async {
        let quota = Locked(DailyQuota(limits: Allowance(calls: 200, audioMilliseconds: 200_000)))
        quota.withLock { quota in
            for _ in 0..<199 { _ = try? quota.reserve(audioMilliseconds: 1000, at: Self.noon) }
            #expect(quota.remaining(at: Self.noon).calls == 1)
        }
        let given = await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask {
                    (try? quota.withLock { try $0.reserve(audioMilliseconds: 1000, at: Self.noon) }) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(given == 1)
    }

    /// The store is the sum of all changes; a restart reads it back.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func randomSchedulesNeverOvershootAndSurviveRestarts(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let limits = Allowance(calls: 20, audioMilliseconds: 100_000)
        let offset = Duration.seconds(Int.random(in: -12...12, using: &generator) * 3600)
        var quota = DailyQuota(limits: limits, dayOffset: offset)
        var open: [DayUsage] = []
        var settled: [DayUsage] = []
        var rows: [Int: DayUsage] = [:]
        func write(_ change: DayUsage) {
            var row = rows[change.day] ?? DayUsage(day: change.day, calls: 0, audioMilliseconds: 0)
            row.calls += change.calls
            row.audioMilliseconds += change.audioMilliseconds
            rows[change.day] = row
        }
        var now = Self.noon
        for _ in 0..<3000 {
            now += Int64.random(in: 0...2_000_000, using: &generator)
            let today = (open + settled).filter { $0.day == quota.day(at: now) }
            let calls = today.count
            let audio = today.reduce(0) { $0 + $1.audioMilliseconds }
            #expect(calls <= 20 && audio <= 100_000)
            #expect(quota.usage(at: now).calls == calls && quota.usage(at: now).audioMilliseconds == audio)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<6:
                let wanted = Int64.random(in: 0...20_000, using: &generator)
                let given = try? quota.reserve(audioMilliseconds: wanted, at: now)
                #expect((given != nil) == (calls < 20 && audio + wanted <= 100_000))
                if let given {
                    open.append(given)
                    write(given)
                }
            case 6, 7:
                guard let index = open.indices.randomElement(using: &generator) else { continue }
                let reservation = open.remove(at: index)
                let actual = Int64.random(in: 0...reservation.audioMilliseconds, using: &generator)
                write(quota.settle(reservation, audioMilliseconds: actual))
                settled.append(DayUsage(day: reservation.day, calls: 1, audioMilliseconds: actual))
            case 8:
                guard let index = open.indices.randomElement(using: &generator) else { continue }
                write(quota.giveBack(open.remove(at: index)))
            default:
                quota = DailyQuota(limits: limits, dayOffset: offset, restoring: Array(rows.values))
            }
            for usage in quota.snapshot { #expect(rows[usage.day] ?? usage == usage) }
        }
    }
}
