import Foundation
import TestSupport
import Testing

/// What the log of the real daemon tells of each request, and what it keeps to itself.
@Suite struct AccessLogTests {
    private static let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"

    /// The lines of requests, in their order.
    private static func requests(_ bed: TestBed) throws -> [[String: Any]] {
        try String(contentsOf: bed.gatewayLog, encoding: .utf8).split(separator: "\n")
            .compactMap { JSONText.object(Array($0.utf8)) }
            .filter { $0["message"] as? String == "request" }
    }

    @Test func aPaidCallIsOneLineWithItsPhases() async throws {
        let bed = try await TestBed(TestBed.Settings(simulator: ["--processing-ms", "100"]))
        try await bed.faults("code:42900")
        let form = TestForm.evaluation()
        let answer = try await bed.evaluate(
            key: "k",
            user: "mei",
            form: form,
            fields: [
                ("X-Request-Id", "order-7"), ("traceparent", "00-\(Self.traceID)-00f067aa0ba902b7-01"),
            ]
        )
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await bed.evaluate(key: "k", user: "mei", form: form).status == 200)
        await bed.stop(keepingFiles: true)
        defer { bed.removeFiles() }
        let lines = try Self.requests(bed).filter { $0["http.route"] as? String == "/api/v1/evaluate" }
        #expect(lines.count == 2)
        let first = try #require(lines.first)
        #expect(first["request.id"] as? String == "order-7" && first["trace.id"] as? String == Self.traceID)
        #expect(first["client.id"] as? String == "school" && first["client.kind"] as? String == "api_key")
        #expect(first["http.status"] as? Int == 200 && first["attempts"] as? Int == 2)
        #expect(first["platform.code"] as? Int == 42_900)
        #expect(first["bytes_in"] as? Int == form.bytes.count && first["bytes_out"] as? Int == answer.body.count)
        #expect(first["record.id"] as? String == answer.json("recordId") && first["replayed"] == nil)
        let total = try #require(first["duration_ms"] as? Double)
        let platform = try #require(first["platform_ms"] as? Double)
        let store = try #require(first["store_ms"] as? Double)
        let pause = try #require(first["pause_ms"] as? Double)
        #expect(platform >= 100 && store > 0 && pause >= 14, "\(first)")
        #expect(platform + store + pause <= total, "\(first)")
        let replay = try #require(lines.last)
        #expect(replay["replayed"] as? Bool == true && replay["attempts"] == nil && replay["platform_ms"] == nil)
        #expect(replay["record.id"] as? String == answer.json("recordId") && replay["trace.id"] == nil)
    }

    @Test func theTraceGoesOnToThePlatformUnderANewParent() async throws {
        let bed = try await TestBed()
        let valid = "00-\(Self.traceID)-00f067aa0ba902b7-01"
        try await bed.faults("status:500")
        #expect(try await bed.evaluate(key: "a", fields: [("traceparent", valid)]).status == 200)
        for invalid in ["00-\(Self.traceID)-0000000000000000-01", "garbage"] {
            #expect(try await bed.evaluate(key: invalid, fields: [("traceparent", invalid)]).status == 200)
        }
        let twice = [("traceparent", valid), ("traceparent", valid)]
        #expect(try await bed.evaluate(key: "b", fields: twice).status == 200)
        let fields = try await bed.platformLog().map { $0["traceparent"] as? String }
        #expect(fields.count == 5 && fields.dropFirst(2).allSatisfy { $0 == nil }, "\(fields)")
        let sent = fields.prefix(2).compactMap { $0 }
        #expect(sent.allSatisfy { $0.hasPrefix("00-\(Self.traceID)-") && $0.hasSuffix("-01") && $0 != valid })
        #expect(Set(sent).count == 2)
        await bed.stop()
    }

    @Test func noLineHoldsASecretAQueryOrAText() async throws {
        let bed = try await TestBed()
        #expect(try await bed.evaluate(key: "k").status == 200)
        _ = try await bed.get("/v1/records?userId=sekret-user&cursor=sekret-cursor")
        _ = try await TestHTTPClient.exchange(
            port: bed.port,
            "GET",
            "/nothing?access_token=sekret-token",
            fields: [("Authorization", "Bearer sg_sekret-key"), ("X-Request-Id", "a\"b")]
        )
        await bed.stop(keepingFiles: true)
        defer { bed.removeFiles() }
        let log = try String(contentsOf: bed.gatewayLog, encoding: .utf8)
        for secret in ["sekret", bed.apiKey, bed.secretKey, "今天天气很好"] {
            #expect(!log.contains(secret))
        }
        let last = try #require(try Self.requests(bed).last)
        #expect(last["http.route"] as? String == "none" && last["http.status"] as? Int == 404)
        #expect(last["client.kind"] as? String == "none" && last["client.id"] == nil)
    }
}
