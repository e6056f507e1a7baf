import Foundation
import Locking
import Telemetry
import TestSupport
import Testing

@Suite struct MetricsRegistryTests {
    enum Outcome: String, MetricLabel {
        case answered
        case refused
        case unknown

        static let labelName = "outcome"
    }

    enum Route: String, MetricLabel {
        case evaluate
        case report

        static let labelName = "route"
    }

    @Test func theTextLooksAsPrometheusExpects() {
        let registry = MetricsRegistry()
        registry.counter("speechgate_requests_total", "Requests.").increment(by: 3)
        registry.gauge("speechgate_connections", "Open connections.").set(2.5)
        let histogram = registry.histogram("speechgate_duration_seconds", "Time.", bounds: [0.1, 1])
        histogram.observe(0.05)
        histogram.observe(0.1)
        histogram.observe(.milliseconds(500))
        histogram.observe(7)
        #expect(
            String(decoding: registry.exposition(), as: UTF8.self) == """
                # HELP speechgate_requests_total Requests.
                # TYPE speechgate_requests_total counter
                speechgate_requests_total 3
                # HELP speechgate_connections Open connections.
                # TYPE speechgate_connections gauge
                speechgate_connections 2.5
                # HELP speechgate_duration_seconds Time.
                # TYPE speechgate_duration_seconds histogram
                speechgate_duration_seconds_bucket{le="0.1"} 2
                speechgate_duration_seconds_bucket{le="1"} 3
                speechgate_duration_seconds_bucket{le="+Inf"} 4
                speechgate_duration_seconds_sum 7.65
                speechgate_duration_seconds_count 4

                """
        )
        #expect(MetricsRegistry.contentType == "text/plain; version=0.0.4; charset=utf-8")
    }

    @Test func allSeriesOfAClosedSetExistFromTheStart() throws {
        let registry = MetricsRegistry()
        let outcomes = registry.counters("c_total", "Help.", by: Outcome.self)
        let pairs = registry.counters("p_total", "Help.", by: MetricLabelPair<Route, Outcome>.self)
        let gauges = registry.gauges("g", "Help.", by: Route.self)
        let histograms = registry.histograms("h", "Help.", by: Route.self, bounds: [1])
        outcomes[.refused].increment()
        pairs[.report, .answered].increment(by: 2)
        pairs[MetricLabelPair(.report, .answered)].increment()
        gauges[.evaluate].set(-1)
        gauges[.evaluate].add(3)
        histograms[.report].observe(2)
        let text = try MetricsGrammar(registry.exposition())
        let counters = try #require(text["c_total"])
        #expect(counters.samples.map(\.value) == [0, 1, 0])
        #expect(counters.value(["outcome": "refused"]) == 1)
        let table = try #require(text["p_total"])
        #expect(table.samples.count == 6)
        #expect(table.value(["route": "report", "outcome": "answered"]) == 3)
        #expect(table.value(["route": "evaluate", "outcome": "answered"]) == 0)
        #expect(text["g"]?.value(["route": "evaluate"]) == 2)
        #expect(text["h"]?.value(["route": "report"], suffix: "_count") == 1)
        #expect(text["h"]?.value(["route": "report", "le": "1"], suffix: "_bucket") == 0)
        #expect(text["h"]?.value(["route": "evaluate"], suffix: "_count") == 0)
    }

    @Test func valuesThatWereNotDeclaredShareOneSeries() throws {
        let registry = MetricsRegistry()
        let accounts = registry.counters("a_total", "Help.", label: "account", values: ["main", "spare"])
        accounts["main"].increment()
        for number in 0..<1_000 { accounts["stranger-\(number)"].increment() }
        accounts["other"].increment()
        let ready = registry.gauges("r", "Help.", label: "account", values: ["main"])
        ready["main"].set(1)
        let text = try MetricsGrammar(registry.exposition())
        let family = try #require(text["a_total"])
        #expect(family.samples.count == 3)
        #expect(family.value(["account": "main"]) == 1)
        #expect(family.value(["account": "spare"]) == 0)
        #expect(family.value(["account": "other"]) == 1_001)
        #expect(text["r"]?.value(["account": "main"]) == 1)
    }

    @Test func readingsAreTakenAtEachScrape() throws {
        let registry = MetricsRegistry()
        let calls = Locked(0)
        registry.gauge("g", "Help.") {
            calls.withLock { calls in
                calls += 1
                return Double(calls)
            }
        }
        registry.counter("c_total", "Help.") { 17 }
        registry.gauges("s", "Help.", by: Outcome.self) { [.answered: 4, .unknown: 1] }
        #expect(try MetricsGrammar(registry.exposition())["g"]?.value() == 1)
        let text = try MetricsGrammar(registry.exposition())
        #expect(text["g"]?.value() == 2)
        #expect(text["c_total"]?.value() == 17)
        #expect(text["s"]?.samples.map(\.value) == [4, 0, 1])
    }

    @Test func aReadingMayUseTheRegistry() throws {
        let registry = MetricsRegistry()
        registry.gauge("size", "Help.") { [unowned registry] in
            _ = registry.counter("late_total", "Declared in the middle of a scrape.")
            return 1
        }
        #expect(try MetricsGrammar(registry.exposition())["size"]?.value() == 1)
    }

    @Test(arguments: [
        "plain", "back\\slash", "quo\"te", "line\nfeed", "\\n", "\\\\\"\n", "今天", "", "comma,brace}", "a=\"b\"",
    ])
    func labelValuesAndHelpAreEscaped(text: String) throws {
        let registry = MetricsRegistry()
        registry.counters("c_total", text, label: "name", values: [text])[text].increment(by: 9)
        let family = try #require(try MetricsGrammar(registry.exposition())["c_total"])
        #expect(family.help == text)
        #expect(family.value(["name": text]) == 9)
    }

    @Test(
        arguments: [
            (0, "0"), (-0.5, "-0.5"), (1e15, "1000000000000000"), (1e300, "1e+300"), (.infinity, "+Inf"),
            (-.infinity, "-Inf"),
            (.nan, "NaN"), (0.1, "0.1"), (1e-7, "1e-07"),
        ] as [(Double, String)]
    )
    func valuesAreWrittenInFull(value: Double, expected: String) throws {
        let registry = MetricsRegistry()
        registry.gauge("g", "Help.").set(value)
        let bytes = registry.exposition()
        #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("\ng \(expected)\n"))
        let read = try #require(try MetricsGrammar(bytes)["g"]?.value())
        #expect(read == value || read.isNaN && value.isNaN)
    }

    @Test func histogramsCountAtTheirBoundsAndIgnoreNaN() throws {
        let registry = MetricsRegistry()
        let histogram = registry.histogram("h", "Help.", bounds: [-1, 0, 1])
        for value in [-2, -1, -0.5, 0, 0.5, 1, 1.5, .infinity, -.infinity, .nan] { histogram.observe(value) }
        #expect(histogram.count == 9)
        let family = try #require(try MetricsGrammar(registry.exposition())["h"])
        let buckets = family.samples.filter { $0.name == "h_bucket" }.map(\.value)
        #expect(buckets == [3, 5, 7, 9])
        // The default bounds are in order, or the grammar would have refused them.
        _ = registry.histogram("d_seconds", "Help.")
        #expect(
            try MetricsGrammar(registry.exposition())["d_seconds"]?.samples.count == Histogram.durationBounds.count + 3
        )
    }

    @Test func nothingIsLostBetweenThreads() async {
        let registry = MetricsRegistry()
        let counter = registry.counter("c_total", "Help.")
        let gauge = registry.gauge("g", "Help.")
        let histogram = registry.histogram("h", "Help.", bounds: [0.5])
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<2_000 {
                        counter.increment()
                        gauge.add(task.isMultiple(of: 2) ? 1 : -1)
                        histogram.observe(Double(number % 2))
                        if number.isMultiple(of: 500) { _ = registry.exposition() }
                    }
                }
            }
        }
        #expect(counter.value == 16_000)
        #expect(gauge.value == 0)
        #expect(histogram.count == 16_000)
    }

    @Test func aGaugeLosesNothingUnderContention() {
        let gauge = MetricsRegistry().gauge("g", "Help.")
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<500_000 { gauge.add(1) }
        }
        #expect(gauge.value == 2_000_000)
    }

    static let promtool = ["/usr/bin/promtool", "/usr/local/bin/promtool"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test(.enabled(if: promtool != nil, "promtool (Debian: prometheus) is not installed"))
    func promtoolFindsNothing() async throws {
        let registry = MetricsRegistry()
        registry.counters("speechgate_requests_total", "Requests \\ with \"everything\"\n.", by: Outcome.self)[.refused]
            .increment()
        registry.gauges("speechgate_accounts", "Accounts.", label: "account", values: ["a\"b\\c\nd"])["x"].set(.nan)
        registry.histograms("speechgate_request_duration_seconds", "Durations.", by: Route.self)[.report].observe(0.2)
        let (status, complaints) = try await ChildProcess.run(
            URL(fileURLWithPath: try #require(Self.promtool)),
            ["check", "metrics"],
            input: Array(registry.exposition())
        )
        #expect(complaints.isEmpty)
        #expect(status == 0)
    }
}
