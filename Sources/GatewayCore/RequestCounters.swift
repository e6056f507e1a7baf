internal import Telemetry

/// Counts answered requests by route template and status class, and refusals by limit: closed sets, whatever is asked for.
struct RequestCounters: Sendable {
    private static let classes = ["1xx", "2xx", "3xx", "4xx", "5xx"]

    private let names: [String]
    /// The row of each route; routes that differ in their method only share one.
    private let rows: [Int]
    private let counters: [[Counter]]
    private let refusals: [LimitRefusal: Counter]

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
        self.refusals = registry.counters(
            "speechgate_limit_refusals_total",
            "Requests refused by a limit.",
            by: LimitRefusal.self
        )
    }

    /// - Parameter route: The router's index; nil for a request without a route.
    func count(route: Int?, status: Int) {
        self.counters[self.row(of: route)][min(max(status / 100, 1), 5) - 1].increment()
    }

    /// Counts a refusal if it is a limit's.
    func count(_ error: GatewayError) {
        guard let limit = error.reason.flatMap(LimitRefusal.init) else { return }
        self.refusals[limit]?.increment()
    }

    func name(of route: Int?) -> String {
        self.names[self.row(of: route)]
    }

    private func row(of route: Int?) -> Int {
        route.map { self.rows[$0] } ?? self.names.count - 1
    }
}
