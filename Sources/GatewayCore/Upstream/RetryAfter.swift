internal import HTTPWire

/// The wait that a `Retry-After` field asks for (RFC 9110, section 10.2.3): seconds, fractions allowed, or a date.
enum RetryAfter {
    /// - Parameter now: Unix time in milliseconds.
    static func duration(of text: String, now: Int64) -> Duration? {
        if let seconds = Double(text), seconds.isFinite {
            return .milliseconds(Int64(min(max(0, seconds), 86_400) * 1000))
        }
        guard let date = HTTPDate(text) else { return nil }
        return .milliseconds(min(max(0, date.unixSeconds * 1000 - now), 86_400_000))
    }
}
