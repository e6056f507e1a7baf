internal import HTTPWire
internal import Synchronization
internal import Telemetry

/// What is learned about one request on its way, for its line in the log and for its place in the metrics.
///
/// `@unchecked Sendable`: `credential`, `client`, `recordID` and `receivedBytes` are touched by the request's own task
/// only. The times and the platform's answer are atomic: a call outlives a client that left, and goes on noting.
public final class RequestTrace: @unchecked Sendable {
    /// What a request spends time on beside the gateway's own work.
    enum Phase {
        /// Its content was on its way.
        case content
        /// Another request's call with the same key ran.
        case winner
        /// No account had a slot.
        case slot
        /// The platform worked.
        case platform
        /// The platform was not to be asked again yet.
        case pause
        /// The store wrote, or was read.
        case store
    }

    /// The trace that the client wants the request to be part of.
    let context: TraceContext?
    /// What the request proved itself with, as far as is known.
    var credential = CredentialKind.none
    /// Whose it is.
    var client: String?
    /// The platform's id of the record that it made, or was answered with.
    var recordID: String?
    /// Bytes of content that came.
    var receivedBytes = 0

    private let contentTime = Atomic<Int64>(0)
    private let winnerTime = Atomic<Int64>(0)
    private let slotTime = Atomic<Int64>(0)
    private let platformTime = Atomic<Int64>(0)
    private let pauseTime = Atomic<Int64>(0)
    private let storeTime = Atomic<Int64>(0)
    private let attemptCount = Atomic<Int>(0)
    private let code = Atomic<Int>(0)

    /// - Parameter head: Of the request.
    init(of head: HTTPRequestHead? = nil) {
        // A field that stands there twice says nothing (W3C Trace Context, section 4.3).
        if let text = head?.fields[.traceparent], head?.fields.count(of: .traceparent) == 1 {
            self.context = TraceContext(text)
        } else {
            self.context = nil
        }
    }

    /// Notes who is proved to have made the request.
    func note(_ principal: Principal) {
        self.credential = CredentialKind(principal.credential)
        self.client = principal.client
    }

    /// Notes what the request is answered with.
    func note(_ result: FlightResult) {
        if case .answered(_, let details) = result { self.recordID = details.recordID }
    }

    /// Notes time that a phase took.
    func add(_ duration: Duration, to phase: Phase) {
        let nanoseconds = duration.wholeNanoseconds
        switch phase {
        case .content: self.contentTime.wrappingAdd(nanoseconds, ordering: .relaxed)
        case .winner: self.winnerTime.wrappingAdd(nanoseconds, ordering: .relaxed)
        case .slot: self.slotTime.wrappingAdd(nanoseconds, ordering: .relaxed)
        case .platform: self.platformTime.wrappingAdd(nanoseconds, ordering: .relaxed)
        case .pause: self.pauseTime.wrappingAdd(nanoseconds, ordering: .relaxed)
        case .store: self.storeTime.wrappingAdd(nanoseconds, ordering: .relaxed)
        }
    }

    /// Notes that a request goes to the platform.
    func noteAttempt() {
        self.attemptCount.wrappingAdd(1, ordering: .relaxed)
    }

    /// Notes what the platform said.
    func note(code: Int) {
        self.code.store(code, ordering: .relaxed)
    }

    /// How long a phase took.
    func duration(of phase: Phase) -> Duration {
        let nanoseconds =
            switch phase {
            case .content: self.contentTime.load(ordering: .relaxed)
            case .winner: self.winnerTime.load(ordering: .relaxed)
            case .slot: self.slotTime.load(ordering: .relaxed)
            case .platform: self.platformTime.load(ordering: .relaxed)
            case .pause: self.pauseTime.load(ordering: .relaxed)
            case .store: self.storeTime.load(ordering: .relaxed)
            }
        return .nanoseconds(nanoseconds)
    }

    /// What of a request's time went by outside the gateway.
    var upstreamWait: Duration {
        self.duration(of: .platform) + self.duration(of: .pause) + self.duration(of: .winner)
    }

    /// Requests that went to the platform.
    var attempts: Int { self.attemptCount.load(ordering: .relaxed) }

    /// The platform's last code, if it had one.
    var platformCode: Int? {
        let code = self.code.load(ordering: .relaxed)
        return code == 0 ? nil : code
    }
}

/// What requests prove themselves with.
enum CredentialKind: String, MetricLabel {
    static let labelName = "client"

    case apiKey = "api_key"
    case token
    case signature
    case none

    /// Its place among all of them.
    var index: Int {
        switch self {
        case .apiKey: 0
        case .token: 1
        case .signature: 2
        case .none: 3
        }
    }

    init(_ credential: Principal.Credential) {
        self =
            switch credential {
            case .apiKey: .apiKey
            case .token: .token
            case .signature: .signature
            }
    }
}
