/// What is stored under one idempotency key.
public struct KeyRow: Sendable {
    /// The row id, never used twice.
    public let id: Int64
    /// The hash the row is found by.
    public let scope: ScopeHash
    /// The client that sent the key.
    public let client: String
    /// The user, where the principal names one.
    public let user: String?
    /// The key as the client sent it.
    public let key: String
    /// The operation.
    public let operation: String
    /// The fingerprint of the request, 32 bytes; of an answered key: of the request that was answered.
    public let fingerprint: [UInt8]
    /// The account that first carried the key.
    public let appKey: String
    /// The key the platform sees.
    public let upstreamKey: String
    /// When the first claim was made, in Unix milliseconds.
    public let firstSentAt: Int64
    /// The flight that claimed the row last; nil once it is answered.
    public let flight: FlightID?
    /// Whether an attempt may have been billed without an answer.
    public let isUnresolved: Bool
    /// Whether an operator settled the row as billed.
    public let isSettledBilled: Bool
    /// The answer, when there is one.
    public let answer: StoredAnswer?
}

/// The answer of a paid call, as far as a byte-identical replay needs it.
public struct StoredAnswer: Sendable {
    /// The status code.
    public let status: Int
    /// The value of `Content-Type`.
    public let contentType: String
    /// The content, byte for byte.
    public let body: [UInt8]
    /// The platform's record id, where the answer has one.
    public let recordID: String?
    /// The platform's code, where the answer has one.
    public let platformCode: Int?
    /// When the answer was complete, in Unix milliseconds.
    public let answeredAt: Int64

    /// Takes the parts.
    public init(
        status: Int,
        contentType: String,
        body: [UInt8],
        recordID: String?,
        platformCode: Int?,
        answeredAt: Int64
    ) {
        self.status = status
        self.contentType = contentType
        self.body = body
        self.recordID = recordID
        self.platformCode = platformCode
        self.answeredAt = answeredAt
    }
}

/// A claim to be written before the first byte goes to the platform.
public struct NewClaim: Sendable {
    /// The hash of client, user and key.
    public var scope: ScopeHash
    /// The client.
    public var client: String
    /// The user, where the principal names one.
    public var user: String?
    /// The key as the client sent it.
    public var key: String
    /// The operation.
    public var operation: String
    /// The fingerprint of the request, 32 bytes.
    public var fingerprint: [UInt8]
    /// The account that will carry the call.
    public var appKey: String
    /// The key the platform will see.
    public var upstreamKey: String
    /// The present time, in Unix milliseconds.
    public var sentAt: Int64
    /// The flight that owns the call.
    public var flight: FlightID

    /// The token whose calls are counted, or nil.
    public var token: TokenUse?

    /// Takes the parts.
    public init(
        scope: ScopeHash,
        client: String,
        user: String?,
        key: String,
        operation: String,
        fingerprint: [UInt8],
        appKey: String,
        upstreamKey: String,
        sentAt: Int64,
        flight: FlightID
    ) {
        self.scope = scope
        self.client = client
        self.user = user
        self.key = key
        self.operation = operation
        self.fingerprint = fingerprint
        self.appKey = appKey
        self.upstreamKey = upstreamKey
        self.sentAt = sentAt
        self.flight = flight
    }
}

/// A claim that is on disk.
///
/// Of a key that was claimed before and has no answer, everything but the flight is what the first claim wrote.
public struct ClaimedRow: Equatable, Sendable {
    /// The row id.
    public let id: Int64
    /// When the first claim was made, in Unix milliseconds.
    public let firstSentAt: Int64
    /// The account the key sticks to.
    public let appKey: String
    /// The key the platform sees.
    public let upstreamKey: String
    /// Whether an earlier attempt may have been billed without an answer.
    public let isUnresolved: Bool
    /// Whether the key was unseen.
    public let isNew: Bool
}

/// What became of a row that was released.
public enum Release: Hashable, Sendable {
    /// The row is gone; the key is free.
    case deleted
    /// The row is unresolved or settled and stays.
    case kept
    /// The row does not carry this flight, or does not exist.
    case notOwned
}

/// What became of a key that an operator settled.
public enum Settlement: Hashable, Sendable {
    /// Not billed: the row is gone; the key is free.
    case deleted
    /// Billed: the row stays and cannot be claimed again.
    case kept
    /// There is no such key.
    case notFound
    /// The key has an answer; nothing to settle.
    case alreadyAnswered
}

/// How many keys are in which state.
public struct ClaimCounts: Equatable, Sendable {
    /// Claimed, without answer, not unresolved: running or unknown.
    public var sent = 0
    /// Without answer, possibly billed.
    public var unresolved = 0
    /// Settled as billed by an operator.
    public var settledBilled = 0
    /// Answered.
    public var answered = 0

    /// All zero.
    public init() {}
}
