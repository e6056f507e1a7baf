/// A request method (RFC 9110, section 9).
public enum HTTPMethod: Hashable, Sendable {
    case get
    case head
    case post
    case put
    case delete
    case options
    case patch
    /// Any other token, as received: methods are case-sensitive.
    case other(String)

    /// Takes a method token; the caller has checked that it is one.
    public init(_ token: String) {
        switch token {
        case "GET": self = .get
        case "HEAD": self = .head
        case "POST": self = .post
        case "PUT": self = .put
        case "DELETE": self = .delete
        case "OPTIONS": self = .options
        case "PATCH": self = .patch
        default: self = .other(token)
        }
    }

    /// The token as it stands on the wire.
    public var token: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .patch: "PATCH"
        case .other(let token): token
        }
    }
}
