/// One thing that was paid for, with its answer.
public struct RecordRow: Sendable {
    /// The row id; equals the id of the key row that the answer came under.
    public let id: Int64
    /// The platform's record id.
    public let recordID: String
    /// The client that paid.
    public let client: String
    /// The user, where the principal named one.
    public let user: String?
    /// The operation.
    public let operation: String
    /// The kind of evaluation, where there is one.
    public let coreType: String?
    /// The overall score, where there is one.
    public let overall: Double?
    /// When the answer was complete, in Unix milliseconds.
    public let createdAt: Int64
    /// The key as the client sent it.
    public let key: String
    /// The account that carried the call.
    public let appKey: String
    /// The key the platform saw.
    public let upstreamKey: String
    /// The answer.
    public let answer: StoredAnswer
}

/// The record that an answer brings.
public struct NewRecord: Sendable {
    /// The platform's record id.
    public var recordID: String
    /// The kind of evaluation, where there is one.
    public var coreType: String?
    /// The overall score, where there is one.
    public var overall: Double?

    /// Takes the parts.
    public init(recordID: String, coreType: String? = nil, overall: Double? = nil) {
        self.recordID = recordID
        self.coreType = coreType
        self.overall = overall
    }
}

/// An answer to be stored under a claimed row.
public struct NewAnswer: Sendable {
    /// What the flight claimed.
    public var claim: NewClaim
    /// The row that it got.
    public var row: ClaimedRow
    /// The status code.
    public var status: Int
    /// The value of `Content-Type`.
    public var contentType: String
    /// The content.
    public var body: [UInt8]
    /// The platform's code, where the answer has one.
    public var platformCode: Int?
    /// When the answer was complete, in Unix milliseconds.
    public var answeredAt: Int64
    /// The record, where the answer is one.
    public var record: NewRecord?
    /// How long the evaluated or made audio is, for usage; 0 when unknown.
    public var usedAudioMilliseconds: Int64 = 0
    /// What the call took of its quotas' audio; nil when that is what was reserved, as far as is known.
    public var audioMilliseconds: Int64?

    /// Takes the parts.
    public init(
        claim: NewClaim,
        row: ClaimedRow,
        status: Int,
        contentType: String,
        body: [UInt8],
        platformCode: Int? = nil,
        answeredAt: Int64,
        record: NewRecord? = nil
    ) {
        self.claim = claim
        self.row = row
        self.status = status
        self.contentType = contentType
        self.body = body
        self.platformCode = platformCode
        self.answeredAt = answeredAt
        self.record = record
    }
}
