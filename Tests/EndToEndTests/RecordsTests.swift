import Foundation
import TestSupport
import Testing

/// What was paid for is listed, fetched and exported by its owner alone.
@Suite struct RecordsTests {
    /// The record ids of an answer's page.
    private func ids(_ response: TestResponse) throws -> [String] {
        let page = try #require(JSONText.object(response.body))
        let records = try #require(page["records"] as? [[String: Any]])
        return records.compactMap { $0["recordId"] as? String }
    }

    @Test func recordsAreListedPageByPageNewestFirst() async throws {
        let bed = try await TestBed()
        var made: [String] = []
        for index in 0..<5 {
            let answer = try await bed.evaluate(key: "k-\(index)", user: index == 2 ? "ben" : "anna")
            made.insert(try #require(answer.json("recordId")), at: 0)
        }
        var listed: [String] = []
        var cursor: String?
        repeat {
            let page = try await bed.get("/v1/records?limit=2" + (cursor.map { "&cursor=\($0)" } ?? ""))
            #expect(page.status == 200, "\(page.text)")
            listed += try self.ids(page)
            cursor = page.json("nextCursor")
            #expect(page["speechgate-next-cursor"] == cursor)
        } while cursor != nil
        #expect(listed == made)
        #expect(try self.ids(try await bed.get("/v1/records?userId=ben")) == [made[2]])
        #expect(try self.ids(try await bed.get("/v1/records", fields: [("SpeechGate-User", "ben")])) == [made[2]])
        #expect(try self.ids(try await bed.get("/v1/records?to=2020-01-01")).isEmpty)
        let other = try await bed.get("/v1/records?userId=anna", fields: [("SpeechGate-User", "ben")])
        #expect(other.status == 403 && other.json("code") == "40300")
        let foreign = try await bed.get("/v1/records/\(made[0])", fields: [("SpeechGate-User", "ben")])
        #expect(foreign.status == 404 && foreign.json("code") == "40400")
        let own = try await bed.get("/v1/records/\(made[2])", fields: [("SpeechGate-User", "ben")])
        #expect(own.status == 200 && own["idempotency-key"] == "k-2" && own["speechgate-operation"] == "evaluate")
        await bed.stop()
    }

    @Test func aListComesAsLinesOrAsATable() async throws {
        let bed = try await TestBed()
        let recordID = try #require(
            try await bed.evaluate(key: "=cmd|' /C calc'!A0".replacing(" ", with: "_"), user: "u")
                .json("recordId")
        )
        _ = try await bed.evaluate(key: "second")
        let lines = try await bed.get("/v1/records", fields: [("Accept", "application/x-ndjson")])
        #expect(lines["content-type"] == "application/x-ndjson")
        let objects = lines.text.split(separator: "\n").map { JSONText.object(Array($0.utf8)) }
        #expect(objects.count == 2 && objects[1]?["recordId"] as? String == recordID)
        #expect(objects[0]?["userId"] is NSNull)
        let table = try await bed.get("/v1/records?limit=1", fields: [("Accept", "text/csv")])
        #expect(table.text.hasPrefix("recordId,userId,operation,coreType,overall,createdAt,key\r\n"))
        let cursor = try #require(table["speechgate-next-cursor"])
        let rest = try await bed.get("/v1/records?limit=1&cursor=\(cursor)", fields: [("Accept", "text/csv")])
        let fields = rest.text.split(separator: ",")
        #expect(fields.first.map(String.init) == recordID && fields.last?.hasPrefix("'=cmd") == true, "\(rest.text)")
        await bed.stop()
    }

    @Test func badQueriesAreToldWhatIsWrong() async throws {
        let bed = try await TestBed()
        let cases = [
            ("limit=0", "limit"), ("limit=501", "limit"), ("limit=x", "limit"), ("from=yesterday", "from"),
            ("to=2026-02-30", "to"), ("from=2026-02-01&to=2026-01-01", "to"), ("userId=a%20b", "userId"),
            ("userId=%ff", "userId"), ("cursor=abc", "cursor"), ("limit=1&limit=2", "limit"),
            ("offset=3", "known: userId"),
        ]
        for (query, name) in cases {
            let response = try await bed.get("/v1/records?\(query)")
            #expect(response.status == 400 && response.json("code") == "40001", "\(query): \(response.text)")
            #expect(response.json("message")?.contains(name) == true, "\(query): \(response.text)")
        }
        await bed.stop()
    }
}
