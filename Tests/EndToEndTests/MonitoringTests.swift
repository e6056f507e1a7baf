import Foundation
import TestSupport
import Testing

/// What Prometheus makes of the metrics, and of the rules and the dashboard that come with the gateway.
@Suite struct MonitoringTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("config/prometheus")
    private static let promtool = URL(fileURLWithPath: "/usr/bin/promtool")

    @Test func prometheusHasNothingAgainstTheMetrics() async throws {
        let bed = try await TestBed()
        #expect(try await bed.evaluate(key: "a").status == 200)
        #expect(try await bed.get("/no/such/path").status == 404)
        let metrics = try await TestHTTPClient.exchange(port: bed.operationsPort, "GET", "/metrics")
        let checked = try await ChildProcess.run(Self.promtool, ["check", "metrics"], input: Array(metrics.text.utf8))
        #expect(checked.status == 0 && checked.output == "", "\(checked.output)")
        await bed.stop()
    }

    @Test func rulesAndDashboardAskForMetricsThatExist() async throws {
        let bed = try await TestBed()
        let metrics = try await TestHTTPClient.exchange(port: bed.operationsPort, "GET", "/metrics").text
        await bed.stop()
        let name = try Regex("speechgate_[a-z_]+[a-z]")
        let known = Set(metrics.matches(of: name).map { String(metrics[$0.range]) })
        for file in ["speechgate.rules.yml", "grafana-dashboard.json"] {
            let text = try String(contentsOf: Self.folder.appendingPathComponent(file), encoding: .utf8)
            let asked = Set(text.matches(of: name).map { String(text[$0.range]) })
            #expect(asked.count > 5 && asked.subtracting(known).isEmpty, "\(asked.subtracting(known))")
        }
        let rules = try await ChildProcess.run(
            Self.promtool,
            ["check", "rules", Self.folder.appendingPathComponent("speechgate.rules.yml").path]
        )
        #expect(rules.status == 0, "\(rules.output)")
    }
}
