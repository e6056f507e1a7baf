/// Times as our own routes write them: RFC 3339, UTC, milliseconds.
public enum Timestamp {
    /// - Parameter unixMilliseconds: Unix time in milliseconds, not before 1970.
    public static func text(unixMilliseconds: Int64) -> String {
        let (days, millisecondsOfDay) = unixMilliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        let (year, month, day) = Self.civil(days: days)
        let (hour, rest) = millisecondsOfDay.quotientAndRemainder(dividingBy: 3_600_000)
        let (minute, rest2) = rest.quotientAndRemainder(dividingBy: 60_000)
        let (second, millisecond) = rest2.quotientAndRemainder(dividingBy: 1000)
        let date = "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
        let time = "\(Self.padded(hour, 2)):\(Self.padded(minute, 2)):\(Self.padded(second, 2))"
        return "\(date)T\(time).\(Self.padded(millisecond, 3))Z"
    }

    /// The Gregorian date of a day count.
    ///
    /// Years are counted from March, so that the leap day comes last.
    private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// The moment that a text names, in Unix milliseconds; what is finer is dropped.
    ///
    /// - Parameter text: RFC 3339, for instance `2026-11-30T08:00:00+08:00`, or a date, which is its midnight in UTC.
    /// - Returns: Nil for anything else, and for years before 1970.
    public static func unixMilliseconds(of text: String) -> Int64? {
        let shape =
            /([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?([Zz]|[+-][0-9]{2}:[0-9]{2}))?/
        guard let parts = text.wholeMatch(of: shape)?.output,
            let year = Int64(parts.1), let month = Int64(parts.2), let day = Int64(parts.3)
        else { return nil }
        let days = Self.days(year: year, month: month, day: day)
        // A day beyond its month's end comes back as another date.
        guard year >= 1970, (1...12).contains(month), Self.civil(days: days) == (year, month, day) else { return nil }
        guard let hourText = parts.4, let minuteText = parts.5, let secondText = parts.6, let zone = parts.8 else {
            return days * 86_400_000
        }
        guard let hour = Int64(hourText), let minute = Int64(minuteText), let second = Int64(secondText),
            hour < 24, minute < 60, second <= 60, let offset = Self.offset(zone)
        else { return nil }
        let fraction = Int64(((parts.7 ?? "") + "000").prefix(3)) ?? 0
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        return max(0, seconds * 1000 + fraction)
    }

    /// Seconds east of Greenwich.
    private static func offset(_ zone: Substring) -> Int64? {
        guard zone.count == 6 else { return 0 }
        guard let hours = Int64(zone.dropFirst().prefix(2)), let minutes = Int64(zone.suffix(2)),
            hours < 24, minutes < 60
        else { return nil }
        return (hours * 3600 + minutes * 60) * (zone.first == "-" ? -1 : 1)
    }

    /// The day count of a Gregorian date from 1970 on; undoes ``civil(days:)``.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
