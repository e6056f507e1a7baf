import Testing

@testable import GatewayCore

@Suite struct TimestampTests {
    // The numbers are those of GNU date: date -u -d TEXT +%s.
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2026-11-30T08:09:10Z", 1_796_026_150_000),
        ("2026-11-30T08:09:10.5Z", 1_796_026_150_500), ("2026-11-30T08:09:10.123999Z", 1_796_026_150_123),
        ("2026-11-30T16:09:10+08:00", 1_796_026_150_000), ("2026-11-30t00:39:10-07:30", 1_796_026_150_000),
        ("2024-02-29", 1_709_164_800_000), ("1970-01-01T00:00:00+01:00", 0),
    ])
    func aTimeIsRead(text: String, expected: Int64) {
        #expect(Timestamp.unixMilliseconds(of: text) == expected)
    }

    @Test(arguments: [
        "", "now", "2026-11-30T08:09:10", "2026-11-30 08:09:10Z", "2026-02-29", "2026-13-01", "2026-00-10",
        "2026-11-31T00:00:00Z", "2026-11-30T24:00:00Z", "2026-11-30T08:60:00Z", "2026-11-30T08:09:10+24:00",
        "2026-11-30T08:09:10.Z", "1969-12-31T23:59:59Z", "26-11-30T08:09:10Z", "2026-11-30T08:09:10Z ",
        "２０２６-11-30",
    ])
    func whatIsNoTimeIsRefused(text: String) {
        #expect(Timestamp.unixMilliseconds(of: text) == nil)
    }
}
