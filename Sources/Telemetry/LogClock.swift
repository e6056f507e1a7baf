private import Glibc

/// The time of log lines.
public enum LogClock {
    /// The system's time since 1970-01-01 00:00 UTC.
    public static func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Appends a time as RFC 3339 text in UTC with milliseconds: `2026-10-08T09:30:00.125Z`.
    static func append(_ time: Duration, to bytes: inout [UInt8]) {
        let (seconds, attoseconds) = time.components
        let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        let second = Int(seconds - days * 86_400)
        let (year, month, day) = self.date(daysSince1970: Int(days))
        self.append(year, digits: 4, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        self.append(month, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        self.append(day, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "T"))
        self.append(second / 3_600, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        self.append(second / 60 % 60, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        self.append(second % 60, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "."))
        self.append(Int(attoseconds / 1_000_000_000_000_000), digits: 3, to: &bytes)
        bytes.append(UInt8(ascii: "Z"))
    }

    /// The Gregorian date of a day.
    ///
    /// Years are counted from March, so that the leap day is a year's last and months have a fixed pattern of lengths;
    /// 400 such years are always 146,097 days.
    private static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func append(_ number: Int, digits: Int, to bytes: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(abs(number) / divisor % 10))
            divisor /= 10
        }
    }
}
