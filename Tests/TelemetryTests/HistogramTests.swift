import Telemetry
import TestSupport
import Testing

@Suite struct HistogramTests {
    private enum Group: String, MetricLabel {
        static let labelName = "group"

        case paid, own
    }

    @Test func theTextIsCumulativeAndInSeconds() {
        let registry = MetricsRegistry()
        let histogram = Histogram(.durations([.microseconds(250), .milliseconds(5), .seconds(1)]))
        registry.add(histogram, "wait_seconds", "Waits.")
        histogram.observe(.microseconds(100))
        // A bound belongs to its range.
        histogram.observe(.microseconds(250))
        histogram.observe(.milliseconds(2))
        histogram.observe(.seconds(3))
        #expect(
            String(decoding: registry.exposition(), as: UTF8.self) == """
                # HELP wait_seconds Waits.
                # TYPE wait_seconds histogram
                wait_seconds_bucket{le="0.00025"} 2
                wait_seconds_bucket{le="0.005"} 3
                wait_seconds_bucket{le="1"} 3
                wait_seconds_bucket{le="+Inf"} 4
                wait_seconds_sum 3.00235
                wait_seconds_count 4

                """
        )
    }

    @Test func aClockThatWentBackCountsAsNothing() throws {
        let registry = MetricsRegistry()
        let histogram = Histogram(.durations([.seconds(1)]))
        registry.add(histogram, "h", "Help.")
        histogram.observe(.seconds(-5))
        let samples = try #require(try MetricsGrammar(registry.exposition())["h"]).samples
        #expect(samples.map(\.value) == [1, 1, 0, 1])
    }

    @Test func everySeriesOfALabelExistsFromTheStart() throws {
        let registry = MetricsRegistry()
        let histograms = registry.histograms("h", "Help.", .counts([1, 8]), by: Group.self)
        histograms[.own]?.observe(5)
        let family = try #require(try MetricsGrammar(registry.exposition())["h"])
        #expect(family.samples.count == 10)
        #expect(family.value(["group": "paid", "le": "+Inf"]) == 0)
        #expect(family.value(["group": "own", "le": "1"]) == 0)
        #expect(family.value(["group": "own", "le": "8"]) == 1)
    }

    @Test func nothingIsLostBetweenThreadsAndEveryScrapeIsInOrder() async throws {
        let registry = MetricsRegistry()
        let histogram = Histogram(.counts([10, 100, 1_000]))
        registry.add(histogram, "h", "Help.")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for number in 0..<2_000 { histogram.observe(UInt64(number)) }
                }
            }
            group.addTask {
                for _ in 0..<50 {
                    let buckets = (try? MetricsGrammar(registry.exposition())["h"])?.samples.filter {
                        $0.name == "h_bucket"
                    }
                    let counts = (buckets ?? []).map(\.value)
                    #expect(counts.count == 4 && counts == counts.sorted())
                }
            }
        }
        let family = try #require(try MetricsGrammar(registry.exposition())["h"])
        #expect(family.samples.map(\.value) == [44, 404, 4_004, 8_000, 7_996_000, 8_000])
    }
}
