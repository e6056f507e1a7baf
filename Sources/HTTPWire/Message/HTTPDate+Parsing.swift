extension HTTPDate {
    /// Reads any of the three forms of RFC 9110, section 5.6.7; nil for anything else.
    ///
    /// - Parameters:
    ///   - text: For instance `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or
    ///     `Sun Nov  6 08:49:37 1994`.
    ///   - currentYear: Decides the century of a year of two digits, which is never more than 50 years ahead. The
    ///     default is 2026.
    public init?(_ text: String, currentYear: Int = 2026) {
        var reader = Reader(bytes: Array(text.utf8))
        guard let moment = reader.moment(currentYear: currentYear), reader.index == reader.bytes.count else {
            return nil
        }
        self.init(unixSeconds: moment)
    }

    private struct Reader {
        let bytes: [UInt8]
        var index = 0

        mutating func moment(currentYear: Int) -> Int64? {
            let fullNames = HTTPDate.weekdays
            let shortNames = fullNames.map { String($0.prefix(3)) }
            let year: Int?
            let month: Int?
            let day: Int?
            let seconds: Int?
            let weekday: Int?
            if let full = self.name(of: fullNames) {
                // rfc850-date
                weekday = full
                guard self.text(", ") else { return nil }
                day = self.number(2)
                guard self.text("-") else { return nil }
                month = self.name(of: HTTPDate.months)
                guard self.text("-"), let short = self.number(2), self.text(" ") else { return nil }
                let candidate = currentYear / 100 * 100 + short
                year = candidate > currentYear + 50 ? candidate - 100 : candidate
                seconds = self.time()
                guard self.text(" GMT") else { return nil }
            } else {
                weekday = self.name(of: shortNames)
                if self.text(", ") {
                    // IMF-fixdate
                    day = self.number(2)
                    guard self.text(" ") else { return nil }
                    month = self.name(of: HTTPDate.months)
                    guard self.text(" ") else { return nil }
                    year = self.number(4)
                    guard self.text(" ") else { return nil }
                    seconds = self.time()
                    guard self.text(" GMT") else { return nil }
                } else {
                    // asctime-date
                    guard self.text(" ") else { return nil }
                    month = self.name(of: HTTPDate.months)
                    guard self.text(" ") else { return nil }
                    day = self.text(" ") ? self.number(1) : self.number(2)
                    guard self.text(" ") else { return nil }
                    seconds = self.time()
                    guard self.text(" ") else { return nil }
                    year = self.number(4)
                }
            }
            guard let weekday, let year, let month, let day, let seconds, year > 0, day > 0 else { return nil }
            let days = HTTPDate.days(fromYear: year, month: month + 1, day: day)
            // A day beyond the month's end comes back as another date.
            guard HTTPDate.civil(fromDays: days) == (year, month + 1, day) else { return nil }
            guard (days % 7 + 11) % 7 == weekday else { return nil }
            return Int64(days) * 86400 + Int64(seconds)
        }

        private mutating func time() -> Int? {
            guard let hour = self.number(2), self.text(":"), let minute = self.number(2), self.text(":"),
                let second = self.number(2), hour < 24, minute < 60, second <= 60
            else { return nil }
            return hour * 3600 + minute * 60 + second
        }

        private mutating func text(_ expected: String) -> Bool {
            guard self.bytes[self.index...].starts(with: expected.utf8) else { return false }
            self.index += expected.utf8.count
            return true
        }

        private mutating func name(of names: [String]) -> Int? {
            for (position, name) in names.enumerated() where self.text(name) {
                return position
            }
            return nil
        }

        private mutating func number(_ digits: Int) -> Int? {
            guard self.index + digits <= self.bytes.count else { return nil }
            var value = 0
            for byte in self.bytes[self.index..<self.index + digits] {
                guard ASCII.isDigit(byte) else { return nil }
                value = value * 10 + Int(byte - 0x30)
            }
            self.index += digits
            return value
        }
    }
}
