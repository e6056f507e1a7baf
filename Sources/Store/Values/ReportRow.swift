/// A record as its report is asked for: whose it is, who carried its call, and what is stored of the report.
public struct ReportRow: Sendable {
    /// The record's row id.
    public let id: Int64
    /// The platform's record id.
    public let recordID: String
    /// The client that paid.
    public let client: String
    /// The user, where the principal named one.
    public let user: String?
    /// The account that carried the call.
    public let appKey: String
    /// The report as it was fetched last, or nil.
    public let report: StoredReport?
}

/// A platform's report on a record, as it was fetched.
public struct StoredReport: Sendable {
    /// The value of `Content-Type`.
    public var contentType: String
    /// The content.
    public var body: [UInt8]
    /// When it was fetched, in Unix milliseconds.
    public var fetchedAt: Int64
    /// Whether nothing will be added to it; it is never replaced then.
    public var isComplete: Bool

    /// Takes the parts.
    public init(contentType: String, body: [UInt8], fetchedAt: Int64, isComplete: Bool) {
        self.contentType = contentType
        self.body = body
        self.fetchedAt = fetchedAt
        self.isComplete = isComplete
    }
}
