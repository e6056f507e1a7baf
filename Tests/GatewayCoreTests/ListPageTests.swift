import HTTPWire
import Testing

@testable import GatewayCore

@Suite struct ListPageTests {
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

    @Test func aPageIsTheSameInEachForm() {
        let page = ListPage(
            name: "things",
            columns: ["name", "count", "score"],
            rows: [[.text("a,b"), .count(2), .number(1.5)], [.text(nil), .count(0), .number(nil)]],
            nextCursor: "c"
        )
        func text(_ format: ListFormat, isFirst: Bool = true) -> String {
            String(decoding: page.bytes(as: format, isFirst: isFirst), as: UTF8.self)
        }
        let rows = [#"{"name":"a,b","count":2,"score":1.5}"#, #"{"name":null,"count":0,"score":null}"#]
        #expect(text(.json) == #"{"things":["# + rows.joined(separator: ",") + #"],"nextCursor":"c"}"#)
        #expect(text(.ndjson) == rows.map { $0 + "\n" }.joined())
        #expect(text(.csv) == "name,count,score\r\n\"a,b\",2,1.5\r\n,0,\r\n")
        #expect(text(.csv, isFirst: false) == "\"a,b\",2,1.5\r\n,0,\r\n")
    }
}
