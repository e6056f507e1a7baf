import Foundation
import TestSupport
import Testing

/// Reports come from the platform until they are complete, then from the store, and never go to a stranger.
@Suite struct ReportTests {
    private static let withReport = #"{"coreType":"sentence","referenceText":"hello there","includeReport":true}"#

    private static func record(_ bed: TestBed, config: String = Self.withReport) async throws -> String {
        let response = try await bed.evaluate(key: "k", user: "mei", form: .evaluation(config: config))
        return try #require(response.json("recordId"), "\(response.text)")
    }

    private static func path(_ recordID: String) -> String { "/api/v1/report/\(recordID)" }

    private static func reportsAsked(_ bed: TestBed) async throws -> Int {
        try await bed.platformLog().count { ($0["path"] as? String)?.hasPrefix("/api/v1/report/") == true }
    }

    /// A report that is not complete.
    private static func partial(_ recordID: String, score: Int = 80) -> String {
        let data = #"{"recordId":"\#(recordID)","score":{"overall":\#(score)},"report":{"dimensionScores":{}}}"#
        return #"{"code":0,"message":"success","data":\#(data),"timestamp":1}"#
    }

    @Test func aCompleteReportIsFetchedOnce() async throws {
        let bed = try await TestBed()
        let recordID = try await Self.record(bed)
        let first = try await bed.get(Self.path(recordID))
        #expect(first.status == 200 && first["age"] == nil, "\(first.text)")
        let second = try await bed.get(Self.path(recordID))
        #expect(second.body == first.body && second["content-type"] == first["content-type"])
        #expect(second["age"] != nil && second["speechgate-stale"] == nil)
        #expect(try await Self.reportsAsked(bed) == 1)
        // Neither a restart nor the platform's end changes that.
        try await bed.killAndRestart()
        bed.simulator.signal(SIGKILL)
        await bed.simulator.wait()
        let third = try await bed.get(Self.path(recordID))
        #expect(third.status == 200 && third.body == first.body && third["speechgate-stale"] == nil)
        await bed.stop()
    }

    @Test func aPartialReportIsFetchedAnewUntilItIsComplete() async throws {
        let bed = try await TestBed()
        let recordID = try await Self.record(bed)
        try await bed.serveNext(Self.partial(recordID))
        #expect(try await bed.get(Self.path(recordID)).text == Self.partial(recordID))
        // The simulator's own report is complete.
        let second = try await bed.get(Self.path(recordID))
        #expect(second.status == 200 && second.text.contains("summary"), "\(second.text)")
        #expect(try await bed.get(Self.path(recordID)).body == second.body)
        #expect(try await Self.reportsAsked(bed) == 2)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func withoutThePlatformTheLastReportIsGivenAndSaysSo() async throws {
        let bed = try await TestBed(
            TestBed.Settings(yugu: ["totalTimeout": #""6s""#, "attemptTimeout": #""5s""#, "attempts": "1"])
        )
        let recordID = try await Self.record(bed)
        for score in [70, 80] {
            try await bed.serveNext(Self.partial(recordID, score: score))
            #expect(try await bed.get(Self.path(recordID)).status == 200)
        }
        for fault in ["status:500", "status:503:raw=html", "hang", "garbage", "status:502:detail=busy"] {
            try await bed.faults(fault)
            let response = try await bed.get(Self.path(recordID))
            #expect(response.status == 200 && response.text == Self.partial(recordID, score: 80), "\(fault)")
            #expect(response["speechgate-stale"] == "true", "\(fault)")
            #expect(response["age"].flatMap { Int($0) }.map { (0...60).contains($0) } == true, "\(fault)")
        }
        bed.simulator.signal(SIGKILL)
        await bed.simulator.wait()
        let response = try await bed.get(Self.path(recordID))
        #expect(response.text == Self.partial(recordID, score: 80) && response["speechgate-stale"] == "true")
        await bed.stop()
    }

    @Test func withoutThePlatformAndWithoutAReportTheFailureIsTold() async throws {
        let bed = try await TestBed()
        let recordID = try await Self.record(bed)
        try await bed.faults("status:500", "status:500", "status:500")
        let coded = try await bed.get(Self.path(recordID))
        #expect(coded.status == 500 && coded.json("code") == "50000" && coded["speechgate-attempts"] == "3")
        try await bed.faults("garbage", "garbage", "garbage")
        let broken = try await bed.get(Self.path(recordID))
        #expect(broken.status == 502 && broken.json("code") == "50200", "\(broken.text)")
        await bed.stop()
    }

    @Test func aRefusalForAnOwnRecordPassesAlsoBesideAStoredReport() async throws {
        let bed = try await TestBed()
        let recordID = try await Self.record(bed)
        try await bed.serveNext(Self.partial(recordID))
        #expect(try await bed.get(Self.path(recordID)).status == 200)
        let refusal = #"{"code":40001,"message":"no such record","timestamp":1}"#
        try await bed.serveNext(refusal, status: 400)
        let response = try await bed.get(Self.path(recordID))
        #expect(response.status == 400 && response.text == refusal)
        try await bed.faults("status:429:code=42902")
        #expect(try await bed.get(Self.path(recordID)).status == 429)
        await bed.stop()
    }

    @Test func twoServerErrorsThenSuccess() async throws {
        let bed = try await TestBed()
        let recordID = try await Self.record(bed)
        try await bed.faults("status:500", "status:429:retryAfter=1")
        let response = try await bed.get(Self.path(recordID))
        #expect(response.status == 200 && response["speechgate-attempts"] == "3", "\(response.text)")
        #expect(response["speechgate-stale"] == nil)
        await bed.stop()
    }

    /// One rule for reports, records, erasure and usage: who names a user sees that user's, who names none sees all.
    @Test func aUserThatIsNamedNarrowsAnAPIKeyEverywhere() async throws {
        var settings = TestBed.Settings()
        settings.clientScopes = "all"
        let bed = try await TestBed(settings)
        let recordID = try await Self.record(bed)
        let all = try await bed.get(Self.path(recordID))
        #expect(all.status == 200)
        func get(_ target: String, as user: String) async throws -> TestResponse {
            try await bed.get(target, fields: [("SpeechGate-User", user)])
        }
        #expect(try await get(Self.path(recordID), as: "mei").body == all.body)
        let foreign = try await get(Self.path(recordID), as: "lin")
        #expect(foreign.status == 400 && foreign.json("code") == "40001", "\(foreign.text)")
        #expect(try await get("/v1/records/\(recordID)", as: "mei").status == 200)
        #expect(try await get("/v1/records/\(recordID)", as: "lin").status == 404)
        #expect(try await get("/v1/usage?groupBy=user", as: "mei").text.contains("mei"))
        #expect(try await !get("/v1/usage?groupBy=user", as: "lin").text.contains("mei"))
        let erased = try await TestHTTPClient.exchange(
            port: bed.port,
            "DELETE",
            "/v1/records/\(recordID)",
            fields: [("Authorization", "Bearer \(bed.apiKey)"), ("SpeechGate-User", "lin")]
        )
        #expect(erased.status == 404)
        await bed.stop()
    }

    @Test func strangersAndUnknownIdsGetOneAnswerAndThePlatformHearsOfNeither() async throws {
        let bed = try await TestBed()
        let recordID = try await Self.record(bed)
        #expect(try await bed.get(Self.path(recordID)).status == 200)
        let asked = try await Self.reportsAsked(bed)
        let added = try await bed.speechgate("client", "add", "stranger")
        let stranger = try #require(JSONText.member("apiKey", of: Array(added.output.utf8)))
        func get(_ id: String, _ key: String) async throws -> TestResponse {
            try await TestHTTPClient.exchange(
                port: bed.port,
                "GET",
                Self.path(id),
                fields: [("Authorization", "Bearer \(key)"), ("X-Request-Id", "same")]
            )
        }
        let answers = try await [
            get(recordID, stranger), get("eval_000000000000", stranger), get("eval_000000000000", bed.apiKey),
            get("..%2Fevaluate", bed.apiKey), get(String(repeating: "a", count: 4_000), stranger),
        ]
        for answer in answers {
            #expect(answer.status == 400 && answer.json("code") == "40001", "\(answer.text)")
            #expect(answer.json("message") == answers[0].json("message"))
            #expect(answer.fields.map(\.name) == answers[0].fields.map(\.name))
        }
        #expect(try await Self.reportsAsked(bed) == asked)
        await bed.stop()
    }
}
