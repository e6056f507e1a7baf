/// A moment as HTTP writes it (RFC 9110, section 5.6.7), to the second.
public struct HTTPDate: Hashable, Sendable {
    /// Seconds since 1970-01-01 00:00:00 UTC.
    public let unixSeconds: Int64

    /// Takes seconds since 1970-01-01 00:00:00 UTC, from year 1 to year 9999.
    public init(unixSeconds: Int64) {
        self.unixSeconds = unixSeconds
    }

    /// The preferred form, for instance `Sun, 06 Nov 1994 08:49:37 GMT`.
    public var text: String {
        let days = self.unixSeconds >= 0 ? self.unixSeconds / 86400 : (self.unixSeconds - 86399) / 86400
        let second = Int(self.unixSeconds - days * 86400)
        let (year, month, day) = Self.civil(fromDays: Int(days))
        let weekday = (Int(days) % 7 + 11) % 7
        var bytes: [UInt8] = []
        bytes.reserveCapacity(29)
        bytes.append(contentsOf: Self.weekdays[weekday].utf8.prefix(3))
        bytes.append(contentsOf: ", ".utf8)
        Self.append(day, digits: 2, to: &bytes)
        bytes.append(ASCII.space)
        bytes.append(contentsOf: Self.months[month - 1].utf8)
        bytes.append(ASCII.space)
        Self.append(year, digits: 4, to: &bytes)
        bytes.append(ASCII.space)
        Self.append(second / 3600, digits: 2, to: &bytes)
        bytes.append(ASCII.colon)
        Self.append(second / 60 % 60, digits: 2, to: &bytes)
        bytes.append(ASCII.colon)
        Self.append(second % 60, digits: 2, to: &bytes)
        bytes.append(contentsOf: " GMT".utf8)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ value: Int, digits: Int, to bytes: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }

    static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The proleptic Gregorian date of a day number that counts from 1970-01-01; years begin in March inside, so that
    /// the leap day is the last of its year.
    static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// The day number of a date; the inverse of ``civil(fromDays:)``.
    static func days(fromYear year: Int, month: Int, day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
