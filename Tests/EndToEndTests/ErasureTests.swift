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
        try await bed.faults("slow:6000")
        async let running = bed.evaluate(key: "slow", user: "anna")
        try await until("it is sent") {
            try await bed.get("/v1/keys/slow", fields: [("SpeechGate-User", "anna")]).json("firstSentAt") != nil
        }
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

    /// Killed in the middle, it goes on by itself; and from its beginning nothing of the user is read any more.
    @Test func aLargeErasureSurvivesTheKill() async throws {
        let bed = try await self.eraser()
        let first = try await bed.evaluate(key: "k1", user: "anna")
        let ben = try #require(try await bed.evaluate(key: "k1", user: "ben").json("recordId"))
        bed.gateway.signal(SIGTERM)
        await bed.gateway.wait()
        let count = 40_000
        try await Self.python(["Tests/Benchmarks/seed_store.py", bed.stateDirectory.path, "school", "\(count)", "anna"])
        try await bed.restart()
        let records = [try #require(first.json("recordId")), "seed_0", "seed_\(count - 1)"]
        for record in records { #expect(try await bed.get("/v1/records/\(record)").status == 200, "\(record)") }
        func lookForTraces() async throws {
            for record in records {
                #expect(try await bed.get("/v1/records/\(record)").status == 404, "\(record)")
                #expect(try await bed.get("/api/v1/report/\(record)").status == 400, "\(record)")
            }
            for key in ["k1", "seed-0", "seed-\(count - 1)"] {
                let answer = try await bed.get("/v1/keys/\(key)", fields: [("SpeechGate-User", "anna")])
                #expect(answer.json("state") == "erased" && answer.json("recordId") == nil, "\(answer.text)")
            }
            for target in ["/v1/records?limit=100", "/v1/usage?groupBy=user"] {
                let list = try await bed.get(target)
                #expect(list.status == 200 && !list.text.contains("anna") && list.text.contains("ben"), "\(list.text)")
            }
        }
        let erasing = Task { try? await self.delete("/v1/users/anna", bed) }
        try await until("it has begun") { try await Self.rows("erased_keys", bed) > 0 }
        try await lookForTraces()
        let restart = Task { try await bed.killAndRestart() }
        try await restart.value
        _ = await erasing.value
        let left = try await Self.rows("keys WHERE user = 'anna'", bed)
        #expect(left > 0, "it was killed in the middle")
        try await lookForTraces()
        try await until("it is done", within: .seconds(300)) { try await Self.rows("erasures", bed) == 0 }
        for table in ["keys WHERE user = 'anna'", "records WHERE user = 'anna'"] {
            #expect(try await Self.rows(table, bed) == 0, "\(table)")
        }
        #expect(try await Self.rows("audit WHERE keys = \(count + 1) AND records = \(count + 1)", bed) == 1)
        #expect(try await bed.get("/v1/records/\(ben)").status == 200)
        try await lookForTraces()
        for key in ["k1", "seed-0"] { #expect(try await bed.evaluate(key: key, user: "anna").status == 410) }
        #expect(try await bed.billed() == 2)
        await bed.stop()
    }

    private static func rows(_ table: String, _ bed: TestBed) async throws -> Int {
        let program = "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])"
        let database = bed.stateDirectory.appendingPathComponent("speechgate.db").path
        let output = try await Self.python(["-c", program, database, "SELECT COUNT(*) FROM \(table)"])
        return try #require(Int(output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(output)")
    }

    @discardableResult
    private static func python(_ arguments: [String]) async throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let run = try await ChildProcess.run(URL(filePath: "/usr/bin/env"), ["python3"] + arguments, in: root)
        try #require(run.status == 0, "\(run.output)")
        return run.output
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
