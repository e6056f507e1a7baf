/// What usage is counted by.
public struct UsageKey: Hashable, Sendable {
    /// The UTC day, counted from 1970-01-01.
    public var day: Int64
    /// The client.
    public var client: String
    /// The user, where the principal named one that was not erased.
    public var user: String?
    /// The operation.
    public var operation: String

    /// Takes the parts.
    ///
    /// - Parameter moment: Any moment of the day, in Unix milliseconds.
    public init(at moment: Int64, client: String, user: String?, operation: String) {
        self.day = moment / 86_400_000
        self.client = client
        self.user = user
        self.operation = operation
    }

    /// The same without its user.
    public var anonymous: UsageKey {
        var key = self
        key.user = nil
        return key
    }
}

/// How much was used.
public struct UsageCounts: Equatable, Sendable {
    /// Requests that were authenticated and complete.
    public var calls = 0
    /// Calls that the platform answered, each counted once.
    public var billed = 0
    /// Requests that got a stored answer, or one that another request paid for.
    public var replayed = 0
    /// Requests that were refused, by us or by the platform.
    public var failed = 0
    /// Requests whose call may have been executed without an answer.
    public var unknown = 0
    /// The audio of billed calls, as far as it is known.
    public var audioMilliseconds: Int64 = 0

    /// Nothing.
    public init() {}

    /// Adds.
    public static func += (sum: inout UsageCounts, more: UsageCounts) {
        sum.calls += more.calls
        sum.billed += more.billed
        sum.replayed += more.replayed
        sum.failed += more.failed
        sum.unknown += more.unknown
        sum.audioMilliseconds += more.audioMilliseconds
    }
}

/// What the rows of a usage list stand for.
public enum UsageGrouping: String, CaseIterable, Codable, Sendable {
    case client
    case user
    case day
    case operation
}

/// Which usage a list shows.
public struct UsageFilter: Hashable, Sendable {
    /// The client; nil shows all.
    public var client: String?
    /// The user; nil shows all.
    public var user: String?
    /// The first day, counted from 1970-01-01.
    public var firstDay: Int64
    /// The last day.
    public var lastDay: Int64

    /// Takes the parts.
    ///
    /// - Parameter time: In Unix milliseconds; every day that it touches is shown whole.
    public init(client: String?, user: String? = nil, time: Range<Int64>) {
        self.client = client
        self.user = user
        self.firstDay = time.lowerBound / 86_400_000
        self.lastDay = (time.upperBound - 1) / 86_400_000
    }
}

/// One row of a usage list.
public struct UsageRow: Equatable, Sendable {
    /// The client, user or operation, or the number of the day; empty for calls without a user.
    public let group: String
    /// What was used.
    public let counts: UsageCounts
}
