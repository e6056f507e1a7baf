internal import HTTPWire
public import Telemetry

/// What the gateway counts of its calls.
///
/// Labels come from closed sets: the table of a platform's codes and our own words, never from a request or an answer.
public struct GatewayMetrics: Sendable {
    let attempts: Counter
    let retries: Counter
    let replays: Counter
    let unknownOutcomes: Counter
    let failovers: Counter
    private let bills: Counter
    private let billedAudio: Counter
    private let exchangeTime: Histogram
    private let answers: AnswerCounters
    private let failures: [HTTPTransportError.Reason: Counter]

    /// Registers everything but the requests, whose routes are known later.
    ///
    /// - Parameter platformCodes: The codes of the platforms' tables; others are counted together.
    public init(registry: MetricsRegistry, platformCodes: [Int] = []) {
        self.attempts = registry.counter("speechgate_upstream_attempts_total", "Requests sent to platforms.")
        self.retries = registry.counter("speechgate_upstream_retries_total", "Attempts beyond a call's first.")
        self.replays = registry.counter("speechgate_replays_total", "Paid requests answered without a new call.")
        self.failovers = registry.counter(
            "speechgate_account_failovers_total",
            "Paid calls that went on to another account."
        )
        self.unknownOutcomes = registry.counter(
            "speechgate_unknown_outcomes_total",
            "Paid calls that may have been executed without an answer."
        )
        self.bills = registry.counter("speechgate_bills_total", "Calls whose answer was paid for.")
        self.billedAudio = registry.millisecondCounter(
            "speechgate_billed_audio_seconds_total",
            "Length of the recordings whose evaluation was paid for."
        )
        self.exchangeTime = Histogram(.durations(RequestMetrics.bounds))
        registry.add(
            self.exchangeTime,
            "speechgate_upstream_duration_seconds",
            "Time from a request to a platform to the end of its answer."
        )
        self.answers = AnswerCounters(platformCodes: platformCodes, registry: registry)
        let reasons = HTTPTransportError.Reason.allCases
        let counters = registry.counters(
            "speechgate_upstream_failures_total",
            "Requests to platforms without a complete answer, by what went wrong.",
            by: [("reason", reasons.map(\.metricValue))]
        )
        self.failures = Dictionary(uniqueKeysWithValues: zip(reasons, counters))
    }

    /// Counts what an exchange with a platform came to.
    func note(_ result: UpstreamCall.Result, after duration: Duration) {
        self.exchangeTime.observe(duration)
        if case .failed(let error) = result {
            self.failures[error.reason]?.increment()
        } else {
            self.answers.count(result)
        }
    }

    /// Counts an answer that was paid for.
    func noteBill(audioMilliseconds: Int64) {
        self.bills.increment()
        self.billedAudio.increment(by: UInt64(clamping: audioMilliseconds))
    }
}

/// Counts platforms' answers by their code.
private struct AnswerCounters: Sendable {
    private let byCode: [Int: Counter]
    private let result: Counter
    private let other: Counter
    private let codeless: Counter
    private let malformed: Counter

    init(platformCodes: [Int], registry: MetricsRegistry) {
        let codes = Array(Set(platformCodes)).sorted()
        var counters = registry.counters(
            "speechgate_upstream_answers_total",
            "Answers of platforms by code: ok is a result, other a code that no table has, none an answer without one.",
            by: [("code", ["ok", "other", "none", "malformed"] + codes.map(\.description))]
        )
        self.result = counters.removeFirst()
        self.other = counters.removeFirst()
        self.codeless = counters.removeFirst()
        self.malformed = counters.removeFirst()
        self.byCode = Dictionary(uniqueKeysWithValues: zip(codes, counters))
    }

    func count(_ result: UpstreamCall.Result) {
        switch result {
        case .answered: self.result.increment()
        case .coded(_, let code): (self.byCode[code.value] ?? self.other).increment()
        case .codeless, .credentialsRefused: self.codeless.increment()
        case .malformed: self.malformed.increment()
        case .failed, .held: break
        }
    }
}

extension HTTPTransportError.Reason {
    /// As metrics write words.
    fileprivate var metricValue: String { self == .tooLarge ? "too_large" : self.rawValue }
}
