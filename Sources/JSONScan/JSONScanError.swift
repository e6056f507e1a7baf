/// Why bytes are not the one JSON text that was expected, and where.
public struct JSONScanError: Error, Hashable, Sendable {
    /// What is wrong.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The text ends before its value does.
        case unexpectedEnd
        /// A byte that the grammar does not allow here.
        case unexpectedByte
        /// A word other than `true`, `false` and `null`.
        case invalidLiteral
        /// Digits that form no number of RFC 8259, section 6.
        case invalidNumber
        /// A backslash with something else than RFC 8259, section 7, lists.
        case invalidEscape
        /// A control character inside a string, which must be escaped.
        case controlCharacter
        /// Bytes that are not UTF-8.
        case invalidUTF8
        /// More objects and arrays inside each other than allowed.
        case tooDeep
        /// A second member of the same name in the outermost object, when asked to refuse that.
        case duplicateMember
        /// More members in the outermost object than are compared, when asked to refuse repeated names.
        case tooManyMembers
        /// Something other than white space behind the value.
        case trailingBytes
        /// Half a surrogate pair in a string that has to become text.
        case loneSurrogate
        /// An exponent that would make more digits than any use of the number needs.
        case exponentTooLarge
    }

    /// What is wrong.
    public let reason: Reason
    /// Where: the index of the first offending byte, or of the end.
    public let offset: Int

    /// Takes the parts.
    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension JSONScanError: CustomStringConvertible {
    /// What is wrong and where, in words, without any byte of the text.
    public var description: String {
        let reason =
            switch self.reason {
            case .unexpectedEnd: "unexpected end"
            case .unexpectedByte: "unexpected character"
            case .invalidLiteral: "unknown word"
            case .invalidNumber: "invalid number"
            case .invalidEscape: "invalid escape"
            case .controlCharacter: "unescaped control character"
            case .invalidUTF8: "invalid UTF-8"
            case .tooDeep: "nested too deeply"
            case .duplicateMember: "repeated member name"
            case .tooManyMembers: "too many members"
            case .trailingBytes: "unexpected character behind the value"
            case .loneSurrogate: "half a surrogate pair"
            case .exponentTooLarge: "exponent too large"
            }
        return "\(reason) at byte \(self.offset)"
    }
}
