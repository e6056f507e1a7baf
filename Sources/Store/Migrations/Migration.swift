/// One step of the schema: named, applied once, never edited after its release.
package struct Migration: Sendable {
    package let name: String
    /// Statements, run in order in one transaction.
    package let sql: String

    package init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }
}

extension Migration {
    /// Every step there ever was, in order.
    ///
    /// New ones go to the end.
    package static let all: [Migration] = [.claims, .erasure, .usage]
}
