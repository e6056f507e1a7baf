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

    @Test func theTextLooksAsPrometheusExpects() {
        let registry = MetricsRegistry()
        registry.counter("speechgate_requests_total", "Requests.").increment(by: 3)
        registry.gauge("speechgate_connections", "Open connections.") { 2.5 }
        #expect(
            String(decoding: registry.exposition(), as: UTF8.self) == """
                # HELP speechgate_requests_total Requests.
                # TYPE speechgate_requests_total counter
                speechgate_requests_total 3
                # HELP speechgate_connections Open connections.
                # TYPE speechgate_connections gauge
                speechgate_connections 2.5

                """
        )
        #expect(MetricsRegistry.contentType == "text/plain; version=0.0.4; charset=utf-8")
    }

    @Test func namesThatChangeAreReadAtEachScrape() {
        let registry = MetricsRegistry()
        let names = Locked(["main"])
        registry.gauges("usable", "Help.", by: "account") { names.withLock { $0 }.map { ($0, 1) } }
        names.withLock { $0 = ["main", "o\"ther"] }
        let text = String(decoding: registry.exposition(), as: UTF8.self)
        #expect(text.hasSuffix("usable{account=\"main\"} 1\nusable{account=\"o\\\"ther\"} 1\n"), "\(text)")
    }

    @Test func allSeriesOfAClosedSetExistFromTheStart() throws {
        let registry = MetricsRegistry()
        let routes = ["evaluate", "report"]
        let counters = registry.counters(
            "p_total",
            "Help.",
            by: [("route", routes), ("outcome", ["answered", "refused"])]
        )
        counters[2].increment(by: 2)
        counters[2].increment()
        let table = try #require(try MetricsGrammar(registry.exposition())["p_total"])
        #expect(table.samples.map(\.value) == [0, 0, 3, 0])
        #expect(table.value(["route": "report", "outcome": "answered"]) == 3)
        #expect(table.value(["route": "evaluate", "outcome": "answered"]) == 0)
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
        registry.counters("d_total", "Help.", by: Outcome.self) { [.answered: 5] }
        registry.gauges("s", "Help.", by: Outcome.self) { [.answered: 4, .unknown: 1] }
        #expect(try MetricsGrammar(registry.exposition())["g"]?.value() == 1)
        let text = try MetricsGrammar(registry.exposition())
        #expect(text["g"]?.value() == 2)
        #expect(text["c_total"]?.value() == 17)
        #expect(text["d_total"]?.samples.map(\.value) == [5, 0, 0])
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
        registry.counters("c_total", text, by: [("name", [text]), ("kind", ["x"])])[0].increment(by: 9)
        let family = try #require(try MetricsGrammar(registry.exposition())["c_total"])
        #expect(family.help == text)
        #expect(family.value(["name": text, "kind": "x"]) == 9)
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
        registry.gauge("g", "Help.") { value }
        let bytes = registry.exposition()
        #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("\ng \(expected)\n"))
        let read = try #require(try MetricsGrammar(bytes)["g"]?.value())
        #expect(read == value || read.isNaN && value.isNaN)
    }

    @Test func nothingIsLostBetweenThreads() async {
        let registry = MetricsRegistry()
        let counter = registry.counter("c_total", "Help.")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for number in 0..<2_000 {
                        counter.increment()
                        if number.isMultiple(of: 500) { _ = registry.exposition() }
                    }
                }
            }
        }
        #expect(counter.value == 16_000)
    }

    static let promtool = ["/usr/bin/promtool", "/usr/local/bin/promtool"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test(.enabled(if: promtool != nil, "promtool (Debian: prometheus) is not installed"))
    func promtoolFindsNothing() async throws {
        let registry = MetricsRegistry()
        let help = "Requests \\ with \"everything\"\n."
        let route = ("route", ["a\"b\\c\nd"])
        registry.counters("speechgate_requests_total", help, by: [route, ("class", ["2xx"])])[0].increment()
        registry.gauge("speechgate_level", "A level.") { .nan }
        registry.gauges("speechgate_outcomes", "Outcomes.", by: Outcome.self) { [.refused: 1] }
        let (status, complaints) = try await ChildProcess.run(
            URL(fileURLWithPath: try #require(Self.promtool)),
            ["check", "metrics"],
            input: Array(registry.exposition())
        )
        #expect(complaints.isEmpty)
        #expect(status == 0)
    }
}
