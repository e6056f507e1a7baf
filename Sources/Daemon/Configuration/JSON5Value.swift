/// A place in a text file.
struct SourcePosition: Hashable, Sendable {
    /// The line, from 1.
    let line: Int
    /// The column in characters (Unicode scalars), from 1.
    let column: Int
}

/// A JSON5 value together with the place it was written at.
struct JSON5Value: Sendable {
    /// What the value is.
    enum Kind: Sendable {
        case null
        case boolean(Bool)
        case number(JSON5Number)
        case string(String)
        case array([JSON5Value])
        case object([JSON5Member])
    }

    /// What the value is.
    let kind: Kind
    /// Where its first character stands.
    let position: SourcePosition

    /// The kind in words, with its article, for messages.
    var kindDescription: String {
        switch self.kind {
        case .null: "null"
        case .boolean: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

/// One member of an object.
struct JSON5Member: Sendable {
    /// The name, unescaped.
    let key: String
    /// Where the name stands.
    let position: SourcePosition
    /// The value.
    let value: JSON5Value
}

/// A number; integers are kept exact.
enum JSON5Number: Hashable, Sendable {
    /// A whole number that was written without fraction and exponent.
    case integer(Int)
    /// Any other finite number.
    case fraction(Double)
    /// `Infinity`, `-Infinity` or `NaN`: legal JSON5, but no setting wants one.
    case notFinite(String)
}

/// Why a text is no JSON5 document, and where.
struct JSON5SyntaxError: Error, Hashable, Sendable {
    /// Where reading stopped.
    let position: SourcePosition
    /// What is wrong and what was expected, without any of the text's values.
    let message: String
}
