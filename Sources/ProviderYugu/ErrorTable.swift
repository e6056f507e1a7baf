internal import GatewayCore

/// What the platform's codes ask of us (contract yugu, sections 8 and 9.3).
enum ErrorTable {
    /// The meaning of a code; an unknown one is judged by the status of its answer.
    static func code(_ value: Int, status: Int) -> PlatformCode {
        let kind: PlatformCode.Kind
        let usualStatus: Int
        switch value {
        case 40901: (kind, usualStatus) = (.inProgress, 409)
        case 2002, 2003: (kind, usualStatus) = (.credentialsOrClock, 401)
        case 40100, 2001, 2004...2011: (kind, usualStatus) = (.credentials, 401)
        case 42900, 42901, 3001...3003: (kind, usualStatus) = (.retryable, 429)
        case 50000: (kind, usualStatus) = (.retryable, 500)
        case 50200: (kind, usualStatus) = (.retryable, 502)
        case 1311: (kind, usualStatus) = (.retryable, 400)
        case 40300: (kind, usualStatus) = (.final, 403)
        case 40400: (kind, usualStatus) = (.final, 404)
        case 40900, 40902, 40903: (kind, usualStatus) = (.final, 409)
        case 42902, 42903: (kind, usualStatus) = (.final, 429)
        case 50010: (kind, usualStatus) = (.final, 500)
        case 40001, 1004, 1005, 1012, 1013, 1310, 2012: (kind, usualStatus) = (.final, 400)
        default:
            // A 401 with a code we do not know is about our credentials all the same (design, section 4, step 7).
            let isRetryable = RetryPolicy.isRetryable(status: status)
            (kind, usualStatus) = (status == 401 ? .credentials : isRetryable ? .retryable : .final, 502)
        }
        return PlatformCode(
            value: value,
            kind: kind,
            usualStatus: usualStatus,
            accountFault: Self.accountFault(of: value)
        )
    }
}
