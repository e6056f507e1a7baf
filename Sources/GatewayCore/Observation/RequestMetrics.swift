internal import HTTPWire
internal import Telemetry

/// Counts and times answered requests by route, status class and credential, and refusals by limit: closed sets, whatever
/// is asked for.
struct RequestMetrics: Sendable {
    /// What a route is for: times are kept by this, since each takes a score of series.
    enum RouteGroup: String, MetricLabel {
        static let labelName = "group"

        /// What a platform is paid for.
        case paid
        /// What is asked of a platform for nothing: reports, and sessions until a round of theirs ends.
        case report
        /// The gateway's own.
        case own
        /// No route.
        case none

        init(of route: Route) {
            self = route.pattern.hasPrefix("/v1/") ? .own : route.method == .post ? .paid : .report
        }
    }

    /// From a replay out of memory to a call that takes all the time it may.
    static let bounds: [Duration] = [
        .milliseconds(1), .microseconds(2_500), .milliseconds(5), .milliseconds(10), .milliseconds(25),
        .milliseconds(50), .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1),
        .milliseconds(2_500), .seconds(5), .seconds(10), .seconds(30), .seconds(60), .seconds(120), .seconds(300),
    ]

    /// The gateway's own part is short, or something is wrong.
    private static let overheadBounds: [Duration] = [
        .microseconds(100), .microseconds(250), .microseconds(500), .milliseconds(1), .microseconds(2_500),
        .milliseconds(5), .milliseconds(10), .milliseconds(25), .milliseconds(50), .milliseconds(100),
        .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(5), .seconds(30),
    ]

    private static let classes = ["1xx", "2xx", "3xx", "4xx", "5xx"]

    private let names: [String]
    /// The row of each route; routes that differ in their method only share one.
    private let rows: [Int]
    private let counters: [Counter]
    private let refusals: [LimitRefusal: Counter]
    /// Of each route, and at the end those of requests without one.
    private let times: [(total: Histogram, overhead: Histogram)]

    /// - Parameter routes: In the order of the router's indices.
    init(routes: [Route], registry: MetricsRegistry) {
        var names: [String] = []
        for route in routes where !names.contains(route.pattern) { names.append(route.pattern) }
        self.rows = routes.compactMap { names.firstIndex(of: $0.pattern) }
        self.names = names + ["none"]
        self.counters = registry.counters(
            "speechgate_http_requests_total",
            "Requests answered, by route template, status class and what the client proved itself with.",
            by: [
                ("route", self.names), ("class", Self.classes),
                (CredentialKind.labelName, CredentialKind.allCases.map(\.rawValue)),
            ]
        )
        let durations = registry.histograms(
            "speechgate_http_request_duration_seconds",
            "Time from a request's head to its answer, by what the route is for.",
            .durations(Self.bounds),
            by: RouteGroup.self
        )
        let overheads = registry.histograms(
            "speechgate_http_request_overhead_seconds",
            "The same without the time that the platform took.",
            .durations(Self.overheadBounds),
            by: RouteGroup.self
        )
        self.times = (routes.map(RouteGroup.init) + [.none]).compactMap { group in
            guard let total = durations[group], let overhead = overheads[group] else { return nil }
            return (total, overhead)
        }
        self.refusals = registry.counters(
            "speechgate_limit_refusals_total",
            "Requests refused by a limit.",
            by: LimitRefusal.self
        )
    }

    /// Counts an answer.
    ///
    /// - Parameter route: The router's index; nil for a request without a route.
    func count(route: Int?, status: Int, credential: CredentialKind = .none) {
        let index = self.row(of: route) * Self.classes.count + min(max(status / 100, 1), 5) - 1
        self.counters[index * CredentialKind.allCases.count + credential.index].increment()
    }

    /// Notes how long a request took.
    ///
    /// - Parameter wait: What of it was the platform's.
    func note(_ duration: Duration, waiting wait: Duration, route: Int?) {
        let times = self.times[route ?? self.times.count - 1]
        times.total.observe(duration)
        times.overhead.observe(duration - wait)
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
