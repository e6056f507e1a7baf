import Foundation
import TestSupport
import Testing

/// What an operator's Prometheus reads.
@Suite struct MetricsTests {
    /// The numbers of a scrape, by the text before them.
    private static func scrape(_ bed: TestBed) async throws -> [String: Double] {
        let response = try await TestHTTPClient.exchange(port: bed.operationsPort, "GET", "/metrics")
        #expect(response.status == 200)
        var samples: [String: Double] = [:]
        for line in response.text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            samples[words.dropLast().joined(separator: " ")] = words.last.flatMap { Double($0) }
        }
        return samples
    }

    @Test func aPaidCallIsCountedFromItsHeadToItsBill() async throws {
        var settings = TestBed.Settings(simulator: ["--processing-ms", "200"])
        settings.yugu["retry"] = #"{ initialDelay: "20ms", maximumDelay: "50ms" }"#
        let bed = try await TestBed(settings)
        try await bed.faults("status:500")
        #expect(try await bed.evaluate(key: "k").status == 200)
        #expect(try await bed.evaluate(key: "k")["idempotency-replayed"] == "true")
        let samples = try await Self.scrape(bed)
        let route = #"route="/api/v1/evaluate",class="2xx",client="api_key""#
        #expect(samples["speechgate_http_requests_total{\(route)}"] == 2)
        #expect(samples["speechgate_http_request_duration_seconds_count{group=\"paid\"}"] == 2)
        let total = try #require(samples["speechgate_http_request_duration_seconds_sum{group=\"paid\"}"])
        let overhead = try #require(samples["speechgate_http_request_overhead_seconds_sum{group=\"paid\"}"])
        // The platform takes its 200 ms; none of it is the gateway's.
        #expect(total >= 0.2 && overhead > 0 && overhead <= total - 0.2, "\(total) \(overhead)")
        #expect(samples["speechgate_upstream_answers_total{code=\"ok\"}"] == 1)
        let refused = samples.filter { $0.key.hasPrefix("speechgate_upstream_answers_total{") && $0.value > 0 }
        #expect(refused.count == 2, "\(refused)")
        #expect(samples["speechgate_upstream_duration_seconds_count"] == 2)
        #expect(samples["speechgate_upstream_attempts_total"] == 2)
        #expect(samples["speechgate_upstream_retries_total"] == 1)
        #expect(samples["speechgate_replays_total"] == 1)
        #expect(samples["speechgate_bills_total"] == 1)
        #expect(try await bed.billed() == 1)
        #expect(try #require(samples["speechgate_billed_audio_seconds_total"]) > 0)
        #expect(samples["speechgate_claims{state=\"answered\"}"] == 1)
        let commits = try #require(samples["speechgate_store_commit_duration_seconds_count"])
        #expect(commits >= 2 && samples["speechgate_store_batch_writes_count"] == commits)
        #expect(try #require(samples["speechgate_store_wal_bytes"]) > 0)
        #expect(samples["speechgate_account_breaker_open{account=\"main\"}"] == 0)
        #expect(samples["speechgate_account_waiting_calls{account=\"main\"}"] == 0)
        #expect(samples["speechgate_account_clock_offset_seconds{account=\"main\"}"] == 0)
        await bed.stop()
    }

    @Test func whatAStrangerWritesMakesNoSeries() async throws {
        let bed = try await TestBed()
        _ = try await TestHTTPClient.exchange(port: bed.port, "GET", "/warm")
        let before = try await Self.scrape(bed)
        for number in 0..<20 {
            _ = try await TestHTTPClient.exchange(
                port: bed.port,
                "M\(number)",
                "/random-\(number)",
                fields: [("X-Forwarded-Host", "h\(number)"), ("Authorization", "Bearer sg_\(number)")]
            )
            _ = try await TestHTTPClient.exchange(port: bed.port, "GET", "/v1/records/r\(number)?x=\(number)")
        }
        let after = try await Self.scrape(bed)
        #expect(Set(after.keys) == Set(before.keys))
        #expect(after["speechgate_http_requests_total{route=\"none\",class=\"5xx\",client=\"none\"}"] == 20)
        await bed.stop()
    }

    @Test func theProcessAndItsBudgetsAreShown() async throws {
        let bed = try await TestBed()
        let samples = try await Self.scrape(bed)
        #expect(abs(try #require(samples["process_start_time_seconds"]) - Date().timeIntervalSince1970) < 60)
        #expect(try #require(samples["process_resident_memory_bytes"]) > 1_000_000)
        let descriptors = try #require(samples["process_open_fds"])
        #expect(descriptors > 5 && descriptors < 200)
        #expect(try #require(samples["process_max_fds"]) >= descriptors)
        #expect(try #require(samples["speechgate_disk_free_bytes"]) > 0)
        #expect(samples["speechgate_body_bytes{budget=\"memory\"}"] == 0)
        #expect(samples["speechgate_body_bytes{budget=\"spool\"}"] == 0)
        #expect(samples["speechgate_body_limit_bytes{budget=\"memory\"}"] == 67_108_864)
        await bed.stop()
    }

    @Test(arguments: [
        ("code:42900", "42900"), ("status:400:code=49999", "other"), ("html:200", "malformed"), ("html:503", "none"),
    ])
    func aPlatformsCodeIsCountedByItsTable(fault: String, code: String) async throws {
        var settings = TestBed.Settings()
        settings.yugu["attempts"] = "1"
        let bed = try await TestBed(settings)
        try await bed.faults(fault)
        _ = try await bed.evaluate(key: "k")
        let samples = try await Self.scrape(bed)
        let counted = samples.filter { $0.key.hasPrefix("speechgate_upstream_answers_total{") && $0.value > 0 }
        #expect(counted == ["speechgate_upstream_answers_total{code=\"\(code)\"}": 1])
        await bed.stop()
    }
}
