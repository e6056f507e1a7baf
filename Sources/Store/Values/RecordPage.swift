/// Which records a list shows: those of a client, or of one of its users, within a time.
public struct RecordFilter: Hashable, Sendable {
    /// The client.
    public var client: String
    /// The user; nil shows all of the client's records, also those without a user.
    public var user: String?
    /// The first moment that belongs to it, in Unix milliseconds.
    public var from: Int64
    /// The first moment that no longer does, in Unix milliseconds.
    public var to: Int64

    /// Takes the parts.
    public init(client: String, user: String? = nil, from: Int64 = .min, to: Int64 = .max) {
        self.client = client
        self.user = user
        self.from = from
        self.to = to
    }
}

/// A place in a list of records, which new records do not move.
public struct RecordPosition: Hashable, Sendable {
    /// When the record was made, in Unix milliseconds.
    public let createdAt: Int64
    /// The row id, which orders records of one moment.
    public let id: Int64

    /// Takes the parts.
    public init(createdAt: Int64, id: Int64) {
        self.createdAt = createdAt
        self.id = id
    }
}

/// A record as a list shows it, without its answer.
public struct RecordSummary: Equatable, Sendable {
    /// Where it stands in the list.
    public let position: RecordPosition
    /// The platform's record id.
    public let recordID: String
    /// The user, where the principal named one.
    public let user: String?
    /// The operation.
    public let operation: String
    /// The kind of evaluation, where there is one.
    public let coreType: String?
    /// The overall score, where there is one.
    public let overall: Double?
    /// The key as the client sent it.
    public let key: String
}
