/// The platform codes that the gateway itself answers with (contract yugu, section 9.3).
///
/// They are the platform's, so that its SDKs classify our answers as they classify the platform's.
public enum GatewayCode: Int, Sendable {
    case validation = 40001
    case unauthorized = 40100
    case forbidden = 40300
    case notFound = 40400
    case conflict = 40900
    case inProgress = 40901
    case keyReused = 40903
    case tooManyRequests = 42900
    case concurrencyLimit = 42901
    case dailyLimit = 42903
    case internalError = 50000
    case notImplemented = 50010
    case upstream = 50200
    case protocolError = 90005
    case reconnectsExhausted = 90006
    case audioNotKept = 90008
    case audioTooShort = 90101
    case audioTooLong = 90102
    case audioSilent = 90103
    case audioQuiet = 90104
    case audioFormatUnsuitable = 90105

    /// The category that SDKs give the code.
    public var category: ErrorCategory {
        switch self {
        case .validation: .invalidParameter
        case .unauthorized: .auth
        case .forbidden: .permission
        case .notFound: .notFound
        case .conflict, .inProgress, .keyReused: .conflict
        case .tooManyRequests, .concurrencyLimit: .rateLimit
        case .dailyLimit: .quota
        case .internalError, .notImplemented: .server
        case .upstream: .upstream
        case .protocolError: .protocol
        case .reconnectsExhausted: .network
        case .audioNotKept: .state
        case .audioTooShort, .audioTooLong, .audioSilent, .audioQuiet, .audioFormatUnsuitable: .audio
        }
    }

    /// Whether a client may send the same request again.
    public var isRetryable: Bool {
        switch self {
        case .inProgress, .tooManyRequests, .concurrencyLimit, .internalError, .upstream: true
        case .validation, .unauthorized, .forbidden, .notFound, .conflict, .keyReused, .dailyLimit, .notImplemented,
            .protocolError, .reconnectsExhausted, .audioNotKept, .audioTooShort, .audioTooLong, .audioSilent,
            .audioQuiet, .audioFormatUnsuitable:
            false
        }
    }

    /// The code that stands for a bare status, where a platform answer carries no code.
    ///
    /// Contract yugu, section 14, and where that would tell an SDK otherwise than sections 8 and 9.4 do of the status, a
    /// code that tells the same: whether to try again, and whose fault it is.
    public init(standingFor status: Int) {
        self =
            switch status {
            case 401: .unauthorized
            case 403: .forbidden
            case 404, 410: .notFound
            case 409: .conflict
            case 425, 429: .tooManyRequests
            case 501, 505...: .notImplemented
            case 408, 502, 503, 504: .upstream
            case 500: .internalError
            default: .validation
            }
    }
}
