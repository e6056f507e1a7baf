/// Where a value lies in a JSON text, and what it is.
public struct JSONValueRange: Hashable, Sendable {
    /// The seven kinds of values.
    public enum Kind: Hashable, Sendable {
        /// `{…}`
        case object
        /// `[…]`
        case array
        /// `"…"`
        case string
        /// A number.
        case number
        /// `true`
        case `true`
        /// `false`
        case `false`
        /// `null`
        case null
    }

    /// What the value is.
    public let kind: Kind
    /// The indices of its bytes, with braces, brackets or quotes.
    public let range: Range<Int>

    init(_ kind: Kind, _ range: Range<Int>) {
        self.kind = kind
        self.range = range
    }
}
