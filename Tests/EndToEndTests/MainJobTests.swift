import Foundation
import TestSupport
import Testing

/// A recording goes in, is scored once, kept, and replayed.
@Suite struct MainJobTests {
    @Test func aRecordingIsScoredBilledOnceStoredAndReplayed() async throws {
        let bed = try await TestBed()
        let first = try await bed.evaluate(key: "lesson-1")
        #expect(first.status == 200, "\(first.text)")
        #expect(first["idempotency-replayed"] == nil)
        #expect(first["idempotency-key"] == "lesson-1")
        #expect(first["speechgate-attempts"] == "1")
        #expect(first["x-request-id"] != nil)
        let recordID = try #require(first.json("recordId"))
        let second = try await bed.evaluate(key: "lesson-1")
        #expect(second.status == 200 && second.body == first.body)
        #expect(second["idempotency-replayed"] == "true")
        #expect(second["content-type"] == first["content-type"])
        #expect(try await bed.billed() == 1)
        let stored = try await bed.get("/v1/records/\(recordID)")
        #expect(stored.status == 200 && stored.body == first.body)
        let report = try await bed.get("/api/v1/report/\(recordID)")
        #expect(report.status == 200 && report.json("code") == "0", "\(report.text)")
        let key = try await bed.get("/v1/keys/lesson-1")
        #expect(key.json("state") == "answered" && key.json("recordId") == recordID)
        #expect(key.json("upstreamKey")?.count == 32)
        await bed.stop()
    }

    @Test func theGatewayRepairsFormsThatThePlatformWouldRefuse() async throws {
        let bed = try await TestBed()
        let config = Array(#"{"coreType":"word","referenceText":"apple"}"#.utf8)
        let audio = TestAudio.wav()
        let forms = [
            TestForm().adding("config", config).adding("audio", audio, filename: "a.wav"),
            TestForm().adding("config", config, filename: "blob", contentType: "application/json")
                .adding("audio", audio, filename: "blob", contentType: "application/octet-stream"),
            TestForm().adding("audio", audio).adding("config", config, contentType: "text/plain"),
        ]
        for (index, form) in forms.enumerated() {
            let response = try await bed.evaluate(key: "form-\(index)", form: form)
            #expect(response.status == 200, "form \(index): \(response.text)")
        }
        #expect(try await bed.billed() == forms.count)
        await bed.stop()
    }

    @Test func withoutAKeyEachCallIsItsOwnAndTheKeyIsAnnounced() async throws {
        let bed = try await TestBed()
        let first = try await bed.evaluate()
        let second = try await bed.evaluate()
        let key = try #require(first["idempotency-key"])
        #expect(key.count == 32 && key != second["idempotency-key"])
        #expect(try await bed.billed() == 2)
        let replay = try await bed.evaluate(key: key)
        #expect(replay.body == first.body)
        #expect(try await bed.billed() == 2)
        await bed.stop()
    }

    @Test func twentyAtOnceAreBilledOnceAndAnsweredAlike() async throws {
        let bed = try await TestBed()
        try await bed.faults("slow:300")
        let answers = try await withThrowingTaskGroup(of: TestResponse.self) { group in
            for _ in 0..<20 { group.addTask { try await bed.evaluate(key: "rush") } }
            return try await group.reduce(into: [TestResponse]()) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 200 && $0.body == answers[0].body })
        #expect(answers.filter { $0["idempotency-replayed"] == nil }.count == 1)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func aLargeRecordingGoesThroughTheSpoolUnchanged() async throws {
        let bed = try await TestBed()
        // 120 s are 3.8 MB: more than is kept in memory.
        let form = TestForm.evaluation(audio: TestAudio.wav(seconds: 120))
        let first = try await bed.evaluate(key: "long", form: form)
        #expect(first.status == 200, "\(first.text)")
        let second = try await bed.evaluate(key: "long", form: form)
        #expect(second.body == first.body && second["idempotency-replayed"] == "true")
        #expect(try FileManager.default.contentsOfDirectory(atPath: bed.stateDirectory.path + "/spool").isEmpty)
        await bed.stop()
    }

    @Test func clientsNeverMeet() async throws {
        let bed = try await TestBed()
        let first = try await bed.evaluate(key: "shared-name")
        let recordID = try #require(first.json("recordId"))
        let added = try await bed.speechgate("client", "add", "other")
        let other = try #require(JSONText.member("apiKey", of: Array(added.output.utf8)))
        func get(_ target: String) async throws -> TestResponse {
            try await TestHTTPClient.exchange(
                port: bed.port,
                "GET",
                target,
                fields: [("Authorization", "Bearer \(other)")]
            )
        }
        func masked(_ response: TestResponse) -> [String?] {
            ["code", "message", "category", "retryable", "source"].map(response.json)
        }
        // A foreign id and one that never was get one and the same answer.
        for prefix in ["/v1/records/", "/api/v1/report/"] {
            let foreign = try await get(prefix + recordID)
            let unknown = try await get(prefix + "eval_000000000000")
            #expect(foreign.status == unknown.status && foreign.status != 200)
            #expect(masked(foreign) == masked(unknown))
        }
        #expect(try await get("/v1/keys/shared-name").status == 404)
        #expect(try await bed.platformLog().filter { ($0["path"] as? String)?.contains("report") == true }.isEmpty)
        await bed.stop()
    }

    @Test func aRevokedClientIsRefusedAtOnce() async throws {
        let bed = try await TestBed()
        #expect(try await bed.evaluate(key: "a").status == 200)
        #expect(try await bed.speechgate("client", "revoke", "school").status == 0)
        #expect(try await bed.evaluate(key: "b").status == 401)
        await bed.stop()
    }
}
