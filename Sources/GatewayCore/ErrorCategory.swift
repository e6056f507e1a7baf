/// The kinds of failures that SDKs tell apart (contract yugu, section 9.2).
public enum ErrorCategory: String, Sendable, CaseIterable {
    case network = "NETWORK"
    case timeout = "TIMEOUT"
    case auth = "AUTH"
    case permission = "PERMISSION"
    case invalidParameter = "INVALID_PARAM"
    case notFound = "NOT_FOUND"
    case conflict = "CONFLICT"
    case rateLimit = "RATE_LIMIT"
    case quota = "QUOTA"
    case server = "SERVER"
    case upstream = "UPSTREAM"
    case audio = "AUDIO"
    case state = "STATE"
    case cancelled = "CANCELLED"
    case `protocol` = "PROTOCOL"
    case unknown = "UNKNOWN"

    /// The category of an answer that has a status and no usable code (contract yugu, section 9.4).
    public init(status: Int) {
        self =
            switch status {
            case 401: .auth
            case 403: .permission
            case 404: .notFound
            case 408: .timeout
            case 409: .conflict
            case 425, 429: .rateLimit
            case 400..<500: .invalidParameter
            case 502, 503, 504: .upstream
            case 500..<600: .server
            default: .unknown
            }
    }
}
