/// Why the store could not do what was asked.
public struct StoreError: Error, Equatable, Sendable {
    /// What kind of failure it is; the cases serve as metric labels.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// Another process holds the state directory.
        case locked
        /// The disk is full, read-only or failing; the same call may succeed later.
        case unavailable
        /// More writes are waiting than the queue holds; the same call may succeed later.
        case overloaded
        /// The store was closed.
        case closed
        /// The database file is damaged, or is not a SpeechGate database.
        case corrupt
        /// The database was written by a newer SpeechGate, or by a build that is none of its releases.
        case otherSchema
        /// What is asked contradicts what is stored: an answered key, a name that was used.
        case conflict
        /// The key was settled as billed; it cannot be claimed again.
        case settledBilled
        /// The key was erased, or its user was; nothing is stored under it.
        case erased
        /// The token that the call counts against has made all its calls.
        case tokenExhausted
        /// A value breaks a rule of the schema; repeating the call does not help.
        case invalid
        /// The spool budget, or the client's share of it, is used up.
        case spoolFull
        /// The disk has no more than what must stay free for other things than the spool; the same call may succeed later.
        case diskLow
    }

    /// What kind of failure it is.
    public let code: Code
    /// What failed and what to do about it, without any stored value.
    public let message: String
    /// SQLite's extended result code, when SQLite refused.
    public let sqliteCode: Int32?

    /// Takes the parts.
    public init(code: Code, message: String, sqliteCode: Int32? = nil) {
        self.code = code
        self.message = message
        self.sqliteCode = sqliteCode
    }
}

extension StoreError: CustomStringConvertible {
    /// The code and the message.
    public var description: String {
        "\(self.code.rawValue): \(self.message)"
    }
}
