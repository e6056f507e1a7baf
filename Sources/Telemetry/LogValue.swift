/// A piece of data in a log message.
///
/// There is no way to make one from an arbitrary value: what is secret must be named as such by its case.
public enum LogValue: Sendable {
    /// Text; control characters are escaped, and long text is cut.
    case string(String)
    /// A number.
    case int(Int64)
    /// A number.
    case double(Double)
    /// Yes or no.
    case bool(Bool)
    /// Something secret was here; only its name is shown: `<redacted signature>`.
    case redacted(StaticString)
    /// An appKey; its first four characters are shown, and `***` (contract yugu, section 17).
    case appKey(String)
    /// An address or request target; user information and all values of its query are shown as `***`.
    case url(String)

    /// A whole number.
    public static func int(_ value: some BinaryInteger) -> LogValue {
        .int(Int64(clamping: value))
    }

    /// A span of time in milliseconds, to the microsecond, for keys that end in `_ms`.
    public static func milliseconds(_ duration: Duration) -> LogValue {
        let (seconds, attoseconds) = duration.components
        return .double(Double(seconds) * 1_000 + Double(attoseconds / 1_000_000_000_000) / 1_000)
    }

    /// The text that is written for a case that holds text, else nil.
    var text: String? {
        switch self {
        case .string(let text): text
        case .redacted(let name): "<redacted \(name)>"
        // A key of four characters or fewer would be shown whole.
        case .appKey(let key): key.count > 4 ? "\(key.prefix(4))***" : "***"
        case .url(let url): Self.masked(url)
        case .int, .double, .bool: nil
        }
    }

    private static func masked(_ url: String) -> String {
        let beforeFragment = url.prefix { $0 != "#" }
        var address = String(beforeFragment.prefix { $0 != "?" })
        if let scheme = address.firstRange(of: "://") {
            let authority = address[scheme.upperBound...].prefix { $0 != "/" }
            if let mark = authority.lastIndex(of: "@") {
                address.replaceSubrange(authority.startIndex..<mark, with: "***")
            }
        }
        guard let mark = beforeFragment.firstIndex(of: "?") else { return address }
        let query = beforeFragment[beforeFragment.index(after: mark)...]
        let pairs = query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            // Without a name, the whole may be a secret.
            guard let sign = pair.firstIndex(of: "=") else { return pair.isEmpty ? "" : "***" }
            return "\(pair[..<sign])=***"
        }
        return "\(address)?\(pairs.joined(separator: "&"))"
    }
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral
{
    /// Makes ``string(_:)``.
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// Makes ``int(_:)``.
    public init(integerLiteral value: Int64) {
        self = .int(value)
    }

    /// Makes ``double(_:)``.
    public init(floatLiteral value: Double) {
        self = .double(value)
    }

    /// Makes ``bool(_:)``.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}
