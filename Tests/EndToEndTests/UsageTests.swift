import Foundation
import TestSupport
import Testing

/// What was used is counted as it happened, and what was paid for survives anything.
@Suite struct UsageTests {
    private func bed() async throws -> TestBed {
        var settings = TestBed.Settings()
        settings.clientScopes = "all"
        return try await TestBed(settings)
    }

    private func rows(_ response: TestResponse) throws -> [[String: Any]] {
        #expect(response.status == 200, "\(response.text)")
        return try #require(JSONText.object(response.body)?["usage"] as? [[String: Any]])
    }

    private func numbers(_ row: [String: Any]?) -> [Int] {
        ["calls", "billed", "replayed", "failed", "unknown"].map { row?[$0] as? Int ?? -1 }
    }

    @Test func callsReplaysAndFailuresAreCountedForEachUser() async throws {
        let bed = try await self.bed()
        _ = try await bed.evaluate(key: "a", user: "anna")
        _ = try await bed.evaluate(key: "a", user: "anna")
        try await bed.faults("status:400:code=40001")
        #expect(try await bed.evaluate(key: "b", user: "anna").status == 400)
        _ = try await bed.evaluate(key: "c", user: "ben")
        let users = try self.rows(try await bed.get("/v1/usage?groupBy=user"))
        #expect(users.map { $0["user"] as? String } == ["anna", "ben"])
        #expect(self.numbers(users[0]) == [3, 1, 1, 1, 0])
        #expect(self.numbers(users[1]) == [1, 1, 0, 0, 0])
        let days = try self.rows(try await bed.get("/v1/usage"))
        #expect(days.count == 1 && self.numbers(days[0]) == [4, 2, 1, 1, 0])
        let operations = try self.rows(try await bed.get("/v1/usage?groupBy=operation"))
        #expect(operations.map { $0["operation"] as? String } == ["evaluate"])
        let own = try await bed.get("/v1/usage?groupBy=client", fields: [("SpeechGate-User", "ben")])
        #expect(self.numbers(try self.rows(own).first) == [1, 1, 0, 0, 0])
        #expect(try await bed.billed() == 2)
        // After an orderly end nothing is lost, after a crash nothing that was paid for.
        bed.gateway.signal(SIGTERM)
        await bed.gateway.wait()
        try await bed.restart()
        #expect(self.numbers(try self.rows(try await bed.get("/v1/usage?groupBy=client")).first) == [4, 2, 1, 1, 0])
        _ = try await bed.evaluate(key: "d", user: "ben")
        try await bed.killAndRestart()
        let after = try self.rows(try await bed.get("/v1/usage?groupBy=client"))
        #expect(after.first?["billed"] as? Int == 3)
        #expect(try await bed.billed() == 3)
        await bed.stop()
    }

    @Test func usageComesInThreeForms() async throws {
        let bed = try await self.bed()
        for user in ["a", "b", "c"] { _ = try await bed.evaluate(user: user) }
        let lines = try await bed.get("/v1/usage?groupBy=user", fields: [("Accept", "application/x-ndjson")])
        #expect(lines.text.split(separator: "\n").count == 3)
        let page = try await bed.get("/v1/usage?groupBy=user&limit=2", fields: [("Accept", "text/csv")])
        #expect(
            page.text
                == "user,calls,billed,replayed,failed,unknown,audioSeconds\r\na,1,1,0,0,0,0.0\r\nb,1,1,0,0,0,0.0\r\n"
        )
        let cursor = try #require(page["speechgate-next-cursor"])
        let rest = try await bed.get("/v1/usage?groupBy=user&limit=2&cursor=\(cursor)")
        #expect(try self.rows(rest).map { $0["user"] as? String } == ["c"])
        for query in ["groupBy=planet", "from=x", "limit=0", "cursor=***"] {
            #expect(try await bed.get("/v1/usage?\(query)").status == 400, "\(query)")
        }
        await bed.stop()
    }

    @Test func usageNeedsItsScope() async throws {
        let bed = try await TestBed()
        let response = try await bed.get("/v1/usage")
        #expect(response.status == 403 && response.json("code") == "40300")
        await bed.stop()
    }
}
