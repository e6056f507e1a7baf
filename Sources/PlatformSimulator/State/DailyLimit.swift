/// The calls that a sandbox key may make in a day (contract yugu, section 13).
struct DailyLimit: Sendable {
    /// The most calls of a tenant in a day; nil for no limit.
    let calls: Int?
    /// How far the day's start is ahead of UTC, in seconds.
    let offset: Int
    /// How long a day is, in seconds.
    let length: Int

    private var day = Int.min
    private var used: [String: Int] = [:]

    /// Nothing used yet.
    init(calls: Int?, offset: Int, length: Int) {
        self.calls = calls
        self.offset = offset
        self.length = max(1, length)
    }

    /// Counts a call; false when the day's calls are used up.
    mutating func reserve(_ tenant: String, unixSeconds: Int) -> Bool {
        guard let calls = self.calls else { return true }
        let day = (unixSeconds + self.offset) / self.length
        if day != self.day {
            self.day = day
            self.used = [:]
        }
        guard self.used[tenant, default: 0] < calls else { return false }
        self.used[tenant, default: 0] += 1
        return true
    }
}
