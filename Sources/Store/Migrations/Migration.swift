internal import Cryptography

/// One step of the schema: named, applied once, never edited: a store made by it is refused by what it was edited to.
package struct Migration: Sendable {
    package let name: String
    /// Statements, run in order in one transaction.
    package let sql: String
    /// The SHA-256 of the statements, in hexadecimal digits.
    package var digest: String { SHA256.hash(of: self.sql).hex }

    package init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }
}

extension Migration {
    /// Every step there ever was, in order.
    ///
    /// New ones go to the end.
    package static let all: [Migration] = [.claims, .quotas, .erasure, .usage]
}
