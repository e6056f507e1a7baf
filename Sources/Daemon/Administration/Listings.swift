internal import Store

/// Which records a verb wants to see.
struct RecordListing: Hashable, Codable, Sendable {
    /// A place in the list.
    struct Position: Hashable, Codable, Sendable {
        let createdAt: Int64
        let id: Int64
    }

    let client: String
    var user: String?
    /// In Unix milliseconds, the first moment that belongs to it.
    var from: Int64?
    /// In Unix milliseconds, the first moment that no longer does.
    var to: Int64?
    /// CSV; else one JSON object a line.
    var isTable = false
    /// The last record of the page before.
    var after: Position?
}

/// Which usage a verb wants to see.
struct UsageListing: Hashable, Codable, Sendable {
    /// Nil for all.
    var client: String?
    var grouping = UsageGrouping.day
    /// In Unix milliseconds.
    var from: Int64?
    /// In Unix milliseconds.
    var to: Int64?
    /// CSV; else one JSON object a line.
    var isTable = false
    /// The last group of the page before.
    var after: String?
}
