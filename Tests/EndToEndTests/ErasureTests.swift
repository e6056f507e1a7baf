import Foundation
import TestSupport
import Testing

/// A user's wish to be forgotten is carried out, also while calls run and across a crash.
@Suite struct ErasureTests {
    private func delete(_ target: String, _ bed: TestBed, user: String? = nil) async throws -> TestResponse {
        var fields = [("Authorization", "Bearer \(bed.apiKey)")]
        if let user { fields.append(("SpeechGate-User", user)) }
        return try await TestHTTPClient.exchange(port: bed.port, "DELETE", target, fields: fields)
    }

    private func eraser() async throws -> TestBed {
        var settings = TestBed.Settings()
        settings.clientScopes = "all"
        return try await TestBed(settings)
    }

    @Test func anErasedUserLeavesTombstonesAndNothingElse() async throws {
        let bed = try await self.eraser()
        let first = try await bed.evaluate(key: "k1", user: "anna")
        let recordID = try #require(first.json("recordId"))
        _ = try await bed.evaluate(key: "k2", user: "anna")
        #expect(try await bed.evaluate(key: "k1", user: "ben").status == 200)
        let erased = try await self.delete("/v1/users/anna", bed)
        #expect(erased.status == 200 && erased.json("state") == "erased", "\(erased.text)")
        #expect(erased.json("keys") == "2" && erased.json("records") == "2" && erased.json("answers") == "2")
        #expect(try await bed.get("/v1/records/\(recordID)").status == 404)
        let again = try await bed.evaluate(key: "k1", user: "anna")
        #expect(again.status == 410 && again.json("code") == "40400" && again.json("reason") == "erased")
        let key = try await bed.get("/v1/keys/k1", fields: [("SpeechGate-User", "anna")])
        #expect(key.json("state") == "erased" && key.json("recordId") == nil)
        #expect(try await bed.evaluate(key: "k1", user: "ben")["idempotency-replayed"] == "true")
        // It outlives the process, and the user may come back with new keys.
        try await bed.killAndRestart()
        #expect(try await bed.evaluate(key: "k1", user: "anna").status == 410)
        #expect(try await bed.evaluate(key: "k3", user: "anna").status == 200)
        #expect(try await bed.billed() == 4)
        let log = try String(contentsOf: bed.gatewayLog, encoding: .utf8)
        #expect(log.contains("user erased") && !log.contains("anna"))
        await bed.stop()
    }

    @Test func whatRunsIsAnsweredAndNotStored() async throws {
        let bed = try await self.eraser()
        try await bed.faults("slow:1500")
        async let running = bed.evaluate(key: "slow", user: "anna")
        while try await bed.get("/v1/keys/slow", fields: [("SpeechGate-User", "anna")]).json("firstSentAt") == nil {}
        let erased = try await self.delete("/v1/users/anna", bed)
        #expect(erased.json("openCalls") == "1", "\(erased.text)")
        let answer = try await running
        #expect(answer.status == 200 && answer["speechgate-stored"] == "no", "\(answer.text)")
        let recordID = try #require(answer.json("recordId"))
        #expect(try await bed.get("/v1/records/\(recordID)").status == 404)
        #expect(try await bed.evaluate(key: "slow", user: "anna").status == 410)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func oneRecordIsErasedByItsOwnerOnly() async throws {
        let bed = try await self.eraser()
        let recordID = try #require(try await bed.evaluate(key: "k1", user: "anna").json("recordId"))
        #expect(try await self.delete("/v1/records/\(recordID)", bed, user: "ben").status == 404)
        #expect(try await self.delete("/v1/users/anna", bed, user: "ben").status == 403)
        #expect(try await self.delete("/v1/users/a%20b", bed).status == 400)
        let erased = try await self.delete("/v1/records/\(recordID)", bed, user: "anna")
        #expect(erased.status == 200 && erased.json("state") == "erased", "\(erased.text)")
        #expect(try await self.delete("/v1/records/\(recordID)", bed).status == 404)
        #expect(try await bed.evaluate(key: "k1", user: "anna").status == 410)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func withoutTheScopeNothingIsErased() async throws {
        let bed = try await TestBed()
        let recordID = try #require(try await bed.evaluate(key: "k1", user: "anna").json("recordId"))
        for target in ["/v1/records/\(recordID)", "/v1/users/anna"] {
            let response = try await self.delete(target, bed)
            #expect(response.status == 403 && response.json("code") == "40300")
        }
        #expect(try await bed.get("/v1/records/\(recordID)").status == 200)
        await bed.stop()
    }
}
