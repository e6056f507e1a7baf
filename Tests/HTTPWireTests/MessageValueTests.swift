import HTTPWire
import Testing

@Suite struct HTTPDateTests {
    /// Each moment was taken from `date -u -d @SECONDS`.
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (951_868_799, "Tue, 29 Feb 2000 23:59:59 GMT"), (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
        (1_767_225_599, "Wed, 31 Dec 2025 23:59:59 GMT"), (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        (-2_208_988_800, "Mon, 01 Jan 1900 00:00:00 GMT"), (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"),
    ])
    func isWrittenAndRead(_ seconds: Int64, _ text: String) {
        #expect(HTTPDate(unixSeconds: seconds).text == text)
        #expect(HTTPDate(text) == HTTPDate(unixSeconds: seconds))
    }

    /// A year of two digits is never more than 50 years ahead, and the day of the week has to agree.
    @Test(
        arguments: [
            ("Sunday, 06-Nov-94 08:49:37 GMT", 2025, 784_111_777), ("Sun Nov  6 08:49:37 1994", 2025, 784_111_777),
            ("Sun Nov 16 08:49:37 2025", 2025, 1_763_282_977),
            ("Wednesday, 01-Jan-70 00:00:00 GMT", 2025, 3_155_760_000),
            ("Thursday, 01-Jan-70 00:00:00 GMT", 2025, nil), ("Thursday, 01-Jan-70 00:00:00 GMT", 1999, 0),
            ("Saturday, 01-Jan-72 00:00:00 GMT", 2021, 63_072_000), ("Friday, 01-Jan-77 00:00:00 GMT", 2025, nil),
            ("Saturday, 01-Jan-77 00:00:00 GMT", 2025, 220_924_800),
        ] as [(String, Int, Int64?)]
    )
    func theObsoleteFormsAreRead(_ text: String, _ currentYear: Int, _ seconds: Int64?) {
        #expect(HTTPDate(text, currentYear: currentYear)?.unixSeconds == seconds)
    }

    @Test(arguments: [
        "", "yesterday", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Mon, 06 Nov 1994 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 0000 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT",
        "Sun Nov 06 08:49:37", "Sunday, 06-Nov-1994 08:49:37 GMT",
    ])
    func anythingElseIsRefused(_ text: String) {
        #expect(HTTPDate(text) == nil)
    }

    /// Every day of 400 years follows the one before it.
    @Test func daysFollowEachOther() throws {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var days: Int64 = -25567
        for year in 1900..<2300 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for month in 0..<12 {
                let length = lengths[month] + (month == 1 && isLeap ? 1 : 0)
                for day in [1, length] {
                    let text = HTTPDate(unixSeconds: (days + Int64(day) - 1) * 86400).text
                    #expect(text.dropFirst(5).prefix(11) == "\(day < 10 ? "0" : "")\(day) \(months[month]) \(year)")
                }
                days += Int64(length)
            }
        }
    }
}

@Suite struct MediaTypeTests {
    @Test(
        arguments: [
            ("application/json", "application/json", []), ("Application/JSON", "application/json", []),
            ("application/json; charset=utf-8", "application/json", ["charset=utf-8"]),
            ("application/json;charset=UTF-8", "application/json", ["charset=UTF-8"]),
            ("text/plain ; CharSet=\"a \\\"b\\\\\"", "text/plain", ["charset=a \"b\\"]),
            ("text/plain;", "text/plain", []), ("text/plain;;a=b; ;c=d;", "text/plain", ["a=b", "c=d"]),
            ("text/plain; a=\"\"", "text/plain", ["a="]), ("audio/x-wav+a.b", "audio/x-wav+a.b", []),
            ("text/plain \t", "text/plain", []),
        ] as [(String, String, [String])]
    )
    func isRead(_ text: String, _ essence: String, _ parameters: [String]) throws {
        let type = try #require(MediaType(text))
        #expect(type.essence == essence)
        #expect(type.parameters.map { "\($0.name)=\($0.value)" } == parameters)
    }

    @Test(arguments: [
        "", "json", "application/", "/json", "application /json", "application/ json", "application/json charset=utf-8",
        "application/json, text/plain", "application/json; charset", "application/json; =a", "application/json; a= b",
        "application/json; a=b c", "application/json; a=\"b", "application/json; a=\"b\"c", "application/json; a =b",
        "application/json; a=b; A=c", "app\u{7F}/json", "text/plain; a=\"\u{1}\"", "text/plain; a=",
    ])
    func isRefused(_ text: String) {
        #expect(MediaType(text) == nil)
    }

    @Test func parametersAreFoundByName() throws {
        let type = try #require(MediaType("multipart/form-data; Boundary=AbC"))
        #expect(type["boundary"] == "AbC")
        #expect(type["charset"] == nil)
        #expect(type == MediaType("MULTIPART/form-data;boundary=AbC"))
    }
}

@Suite struct HTTPFieldsTests {
    @Test func namesAreComparedWithoutCase() {
        var fields = HTTPFields()
        fields.append(.contentType, "a")
        fields.append(.accept, "b")
        fields.append(.contentType, "c")
        #expect(fields[.contentType] == "a")
        #expect(fields.values(of: .contentType) == ["a", "c"])
        #expect(fields.contains(.accept))
        fields.set(.contentType, "d")
        #expect(fields.values(of: .contentType) == ["d"])
        fields.remove(.accept)
        #expect(fields.count == 1)
        #expect(fields[.accept] == nil)
        #expect(HTTPField.Name("content-TYPE") == .contentType)
        #expect(HTTPField.Name("bad name") == nil)
        #expect(HTTPField.Name("") == nil)
    }
}
