/// Calls and audio per day, reserved before a call and settled after it.
///
/// A reservation counts as used from the moment it is made, so any number of calls in flight cannot overshoot. Only the
/// call itself can: when it turns out longer than what was reserved for it, the day says so and nothing more is given.
///
/// A reservation belongs to the day it was made on, whenever it is settled. The last few days are kept apart, so that
/// a clock that is corrected across midnight finds the count it left.
///
/// For a restart (design, section 4, steps 6 and 8): the claim's transaction stores the reservation with the key's row
/// and adds it to the day's row; the transaction that ends the call adds the change that ``settle(_:audioMilliseconds:)``
/// or ``giveBack(_:)`` returns. Changes are sums, so the order of commits does not matter. A start reads the rows back:
/// calls of unknown outcome are in them and stay reserved.
public struct DailyQuota: Sendable {
    /// An amount of calls and audio; nil is without limit.
    public struct Allowance: Hashable, Sendable {
        /// Calls.
        public var calls: Int?
        /// Their audio.
        public var audioMilliseconds: Int64?

        /// Takes the limits; the default is none.
        public init(calls: Int? = nil, audioMilliseconds: Int64? = nil) {
            self.calls = calls
            self.audioMilliseconds = audioMilliseconds
        }
    }

    /// Why nothing was reserved.
    struct Refusal: Error, Hashable, Sendable {
        /// What a quota counts.
        enum Limit: Sendable {
            case calls
            case audio
        }

        /// What is used up, or too little.
        let limit: Limit
        /// What is left of the day; a shorter recording may still find room.
        let remaining: Allowance
        /// When the next day begins, Unix time in milliseconds.
        let resetsAt: Int64
    }

    private static let dayLength: Int64 = 86_400_000
    private static let daysKept = 3

    /// What a day gives.
    var limits: Allowance
    /// How far ahead of UTC the day begins: eight hours for a day that begins at 00:00 UTC+8.
    var dayOffset: Duration {
        didSet { self.offset = Self.milliseconds(self.dayOffset) }
    }
    private var offset: Int64
    // The day used last stands last.
    private var days: [DayUsage]

    /// Makes a quota.
    ///
    /// - Parameters:
    ///   - dayOffset: The time zone whose midnight begins a day, ahead of UTC.
    ///   - days: What the store has of the last days.
    init(limits: Allowance, dayOffset: Duration = .zero, restoring days: [DayUsage] = []) {
        self.limits = limits
        self.dayOffset = dayOffset
        self.offset = Self.milliseconds(dayOffset)
        self.days = Array(days.sorted { $0.day < $1.day }.suffix(Self.daysKept))
    }

    /// The days that are kept, as the store should have them.
    var snapshot: [DayUsage] { self.days }

    /// The number of the day.
    ///
    /// - Parameter now: Unix time in milliseconds, here and below.
    func day(at now: Int64) -> Int {
        let time = now + self.offset
        // Rounded down also before 1970.
        return Int((time - (time % Self.dayLength + Self.dayLength) % Self.dayLength) / Self.dayLength)
    }

    /// When the day ends.
    func resetInstant(at now: Int64) -> Int64 {
        Int64(self.day(at: now) + 1) * Self.dayLength - self.offset
    }

    private static func milliseconds(_ duration: Duration) -> Int64 { Int64(duration / .milliseconds(1)) }

    /// What was used or is reserved of the day.
    func usage(at now: Int64) -> DayUsage {
        let day = self.day(at: now)
        return self.days.first { $0.day == day } ?? DayUsage(day: day, calls: 0, audioMilliseconds: 0)
    }

    /// What is left of the day.
    func remaining(at now: Int64) -> Allowance {
        let usage = self.usage(at: now)
        return Allowance(
            calls: self.limits.calls.map { max(0, $0 - usage.calls) },
            audioMilliseconds: self.limits.audioMilliseconds.map { max(0, $0 - usage.audioMilliseconds) }
        )
    }

    /// Reserves one call.
    ///
    /// - Parameter audioMilliseconds: As much as the call can need, at least 0.
    /// - Returns: The reservation, to be settled or given back once.
    mutating func reserve(audioMilliseconds: Int64, at now: Int64) throws(Refusal) -> DayUsage {
        precondition(audioMilliseconds >= 0)
        let remaining = self.remaining(at: now)
        let lacking: Refusal.Limit? =
            if let calls = remaining.calls, calls < 1 {
                .calls
            } else if let audio = remaining.audioMilliseconds, audio < audioMilliseconds {
                .audio
            } else {
                nil
            }
        if let lacking {
            throw Refusal(limit: lacking, remaining: remaining, resetsAt: self.resetInstant(at: now))
        }
        let reservation = DayUsage(day: self.day(at: now), calls: 1, audioMilliseconds: audioMilliseconds)
        self.touch(reservation.day)
        self.add(reservation)
        return reservation
    }

    /// Replaces a reservation by what the call took.
    ///
    /// - Returns: The change of the reservation's day.
    mutating func settle(_ reservation: DayUsage, audioMilliseconds: Int64) -> DayUsage {
        let difference = audioMilliseconds - reservation.audioMilliseconds
        let change = DayUsage(day: reservation.day, calls: 0, audioMilliseconds: difference)
        self.add(change)
        return change
    }

    /// Returns a reservation whose call was not executed.
    ///
    /// - Returns: The change of the reservation's day.
    @discardableResult
    mutating func giveBack(_ reservation: DayUsage) -> DayUsage {
        self.add(-reservation)
        return -reservation
    }

    /// Moves a day to the end, and forgets the one that was used longest ago.
    private mutating func touch(_ day: Int) {
        guard self.days.last?.day != day else { return }
        let index = self.days.firstIndex { $0.day == day }
        let usage = index.map { self.days.remove(at: $0) }
        if self.days.count == Self.daysKept { self.days.removeFirst() }
        self.days.append(usage ?? DayUsage(day: day, calls: 0, audioMilliseconds: 0))
    }

    /// A day that is no longer kept is the store's alone.
    private mutating func add(_ change: DayUsage) {
        guard let index = self.days.firstIndex(where: { $0.day == change.day }) else { return }
        self.days[index].calls += change.calls
        self.days[index].audioMilliseconds += change.audioMilliseconds
    }
}
