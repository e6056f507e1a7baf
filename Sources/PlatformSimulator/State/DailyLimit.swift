/// Counts calls by day (contract yugu, section 13).
struct DailyLimit: Sendable {
    /// How far the day's start is ahead of UTC, in seconds.
    let offset: Int
    /// How long a day is, in seconds.
    let length: Int

    private var day = Int.min
    private var used: [String: Int] = [:]

    /// Nothing used yet.
    init(offset: Int, length: Int) {
        self.offset = offset
        self.length = max(1, length)
    }

    /// How many calls were counted on the day of a second.
    func used(_ name: String, unixSeconds: Int) -> Int {
        self.day(of: unixSeconds) == self.day ? self.used[name, default: 0] : 0
    }

    /// Counts a call.
    mutating func count(_ name: String, unixSeconds: Int) {
        let day = self.day(of: unixSeconds)
        if day != self.day {
            self.day = day
            self.used = [:]
        }
        self.used[name, default: 0] += 1
    }

    /// How many seconds are left of the day.
    func secondsLeft(unixSeconds: Int) -> Int {
        (self.day(of: unixSeconds) + 1) * self.length - self.offset - unixSeconds
    }

    private func day(of unixSeconds: Int) -> Int {
        let (day, rest) = (unixSeconds + self.offset).quotientAndRemainder(dividingBy: self.length)
        return rest < 0 ? day - 1 : day
    }
}
