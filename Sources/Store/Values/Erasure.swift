/// How much was erased.
public struct ErasedCounts: Equatable, Sendable {
    /// Keys; a tombstone stands for each until its retention ends.
    public var keys = 0
    /// Records.
    public var records = 0
    /// Answers.
    public var answers = 0
    /// Keys among them whose call had no answer: what it brings is not stored.
    public var openCalls = 0

    /// Nothing yet.
    public init() {}

    static func += (sum: inout ErasedCounts, more: ErasedCounts) {
        sum.keys += more.keys
        sum.records += more.records
        sum.answers += more.answers
        sum.openCalls += more.openCalls
    }
}

/// How far the erasure of a user has come.
public struct ErasureProgress: Equatable, Sendable {
    /// The erasure.
    public let id: Int64
    /// What has been erased so far.
    public let counts: ErasedCounts
    /// Whether nothing is left.
    public let isComplete: Bool
}

/// A user whose calls shall be erased.
public struct NewErasure: Sendable {
    /// The client.
    public var client: String
    /// Its user.
    public var user: String
    /// Who wants it, for the audit.
    public var actor: String
    /// From the flight that began first of those that run to the one that began last: of flights up to that nothing is
    /// stored.
    public var flights: ClosedRange<FlightID>?
    /// The present time, in Unix milliseconds.
    public var requestedAt: Int64

    /// Takes the parts.
    public init(client: String, user: String, actor: String, flights: ClosedRange<FlightID>?, requestedAt: Int64) {
        self.client = client
        self.user = user
        self.actor = actor
        self.flights = flights
        self.requestedAt = requestedAt
    }
}

/// How long a key is remembered, in milliseconds.
struct KeyRetention {
    let answered: Int64
    let unknown: Int64

    init(_ configuration: Store.Configuration) {
        self.answered = configuration.keyRetention.wholeMilliseconds
        self.unknown = configuration.unknownRetention.wholeMilliseconds
    }
}

/// Up to which flight a user was erased.
struct ErasedUser {
    /// Longer than what a flight or a flush has written waits for its commit, in milliseconds.
    static let minimumLifetime: Int64 = 60_000

    let lastFlight: FlightID
    let erasedAt: Int64
}

/// A user of a client.
struct ClientUser: Hashable {
    let client: String
    let user: String
}
