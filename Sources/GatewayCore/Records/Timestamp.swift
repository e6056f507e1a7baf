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

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
