internal import Telemetry

/// Counts answered requests by route template and status class: closed sets, whatever is asked for.
struct RequestCounters: Sendable {
    private static let classes = ["1xx", "2xx", "3xx", "4xx", "5xx"]

    private let names: [String]
    /// The row of each route; routes that differ in their method only share one.
    private let rows: [Int]
    private let counters: [[Counter]]

    /// - Parameter routes: The patterns, in the order of the router's indices.
    init(routes: [String], registry: MetricsRegistry) {
        var names: [String] = []
        for route in routes where !names.contains(route) { names.append(route) }
        self.rows = routes.compactMap { names.firstIndex(of: $0) }
        self.names = names + ["none"]
        self.counters = registry.counters(
            "speechgate_http_requests_total",
            "Requests answered, by route template and status class.",
            by: ("route", self.names),
            and: ("class", Self.classes)
        )
    }

    /// - Parameter route: The router's index; nil for a request without a route.
    func count(route: Int?, status: Int) {
        self.counters[self.row(of: route)][min(max(status / 100, 1), 5) - 1].increment()
    }

    func name(of route: Int?) -> String {
        self.names[self.row(of: route)]
    }

    private func row(of route: Int?) -> Int {
        route.map { self.rows[$0] } ?? self.names.count - 1
    }
}
