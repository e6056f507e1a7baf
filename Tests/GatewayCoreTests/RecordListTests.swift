import Cryptography
import HTTPWire
import Store
import Testing

@testable import GatewayCore

@Suite struct RecordListTests {
    // MARK: - Times

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

    // MARK: - Cursors

    private let cursors = RecordCursor(secret: Secret("0123456789abcdef"))
    private let filter = RecordFilter(client: "app", user: "anna", from: 0, to: .max)

    @Test func aCursorLeadsBackToItsPlace() throws {
        let position = RecordPosition(createdAt: 1_796_026_150_000, id: 77)
        let text = self.cursors.text(position, of: self.filter)
        #expect(try self.cursors.position(text, of: self.filter) == position)
    }

    @Test func aCursorIsGoodForItsListOnly() throws {
        let text = self.cursors.text(RecordPosition(createdAt: 1_000, id: 7), of: self.filter)
        let others = [
            RecordFilter(client: "other", user: "anna", from: 0), RecordFilter(client: "app", user: nil, from: 0),
            RecordFilter(client: "app", user: "ben", from: 0), RecordFilter(client: "app", user: "anna", from: 1),
            RecordFilter(client: "app", user: "anna", from: 0, to: 9),
        ]
        for other in others {
            #expect(throws: GatewayError.self) { try self.cursors.position(text, of: other) }
        }
        let elsewhere = RecordCursor(secret: Secret("fedcba9876543210"))
        #expect(throws: GatewayError.self) { try elsewhere.position(text, of: self.filter) }
        for index in text.indices {
            var altered = text
            altered.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
            #expect(throws: GatewayError.self) { try self.cursors.position(altered, of: self.filter) }
        }
    }

    // MARK: - Forms

    @Test(arguments: [
        (nil, ListFormat.json), ("*/*", .json), ("text/html", .json), ("text/csv", .csv),
        ("application/x-ndjson", .ndjson), ("application/json;q=0.5, text/csv", .csv),
        ("text/csv;q=0.1, application/x-ndjson; q=0.9", .ndjson), ("text/csv;q=0", .json),
    ])
    func acceptChoosesTheForm(accept: String?, format: ListFormat) {
        var fields = HTTPFields()
        if let accept { fields.append(.accept, accept) }
        #expect(ListFormat(accepting: fields) == format)
    }

    @Test func valuesOfCSVAreQuotedAndDoNotBecomeFormulas() {
        var writer = CSVWriter()
        writer.line(["plain", nil, "a,b", "say \"hi\"", "two\nlines", "=1+1", "-2", "@x", "+1,2"])
        let expected = "plain,,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",'=1+1,'-2,'@x,\"'+1,2\"\r\n"
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
    }
}
