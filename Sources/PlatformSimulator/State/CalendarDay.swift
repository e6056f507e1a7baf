/// A day of the Gregorian calendar.
struct CalendarDay: Hashable, Sendable {
    let year: Int
    let month: Int
    let day: Int

    /// The day of a time, in a zone that is so many seconds ahead of UTC.
    init(unixSeconds: Int, offset: Int) {
        // Days are counted from 1 March of the year 0, so that a leap day ends its year.
        let shifted = (unixSeconds + offset + 719_468 * 86_400) / 86_400
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        self.day = dayOfYear - (153 * month + 2) / 5 + 1
        self.month = month < 10 ? month + 3 : month - 9
        self.year = yearOfEra + era * 400 + (self.month <= 2 ? 1 : 0)
    }

    /// As in `20261008`.
    var compact: String {
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return padded(self.year, 4) + padded(self.month, 2) + padded(self.day, 2)
    }
}
