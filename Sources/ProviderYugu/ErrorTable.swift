internal import GatewayCore

/// The platform's codes: what they mean and what they ask of us (contract yugu, sections 8 and 9.3).
///
/// 1004 and 1005 are these in errors only; among the warnings of a result the same numbers speak of noise and of
/// incomplete audio, and no result is looked up here.
enum ErrorTable {
    /// One code.
    struct Entry: Sendable {
        let code: Int
        let name: String
        /// The status that usually goes with it.
        let status: Int
        let category: ErrorCategory
        let isRetryable: Bool
        /// For the operator's log.
        let message: String

        fileprivate init(
            _ code: Int,
            _ name: String,
            _ status: Int,
            _ category: ErrorCategory,
            isRetryable: Bool = false,
            _ message: String
        ) {
            self.code = code
            self.name = name
            self.status = status
            self.category = category
            self.isRetryable = isRetryable
            self.message = message
        }

        fileprivate var kind: PlatformCode.Kind {
            switch self.code {
            case 40901: .inProgress
            case 2002, 2003: .credentialsOrClock
            default: self.category == .auth ? .credentials : self.isRetryable ? .retryable : .final
            }
        }
    }

    private static let byCode = Dictionary(uniqueKeysWithValues: Self.entries.map { ($0.code, $0) })

    /// The meaning of a code; an unknown one is judged by the status of its answer.
    static func code(_ value: Int, status: Int) -> PlatformCode {
        guard let entry = Self.byCode[value] else {
            // A 401 with a code we do not know is about our credentials all the same (design, section 4, step 7).
            let isRetryable = RetryPolicy.isRetryable(status: status)
            let kind: PlatformCode.Kind = status == 401 ? .credentials : isRetryable ? .retryable : .final
            return PlatformCode(value: value, kind: kind, usualStatus: 502)
        }
        return PlatformCode(
            value: value,
            kind: entry.kind,
            usualStatus: entry.status,
            accountFault: Self.accountFault(of: value),
            meaning: PlatformCode.Meaning(name: entry.name, category: entry.category, text: entry.message)
        )
    }

    /// The codes that are known.
    static var codes: [Int] { Self.entries.map(\.code) }

    static let entries = [
        Entry(40001, "VALIDATION_ERROR", 400, .invalidParameter, "a parameter is missing or has no valid value"),
        Entry(40100, "UNAUTHORIZED", 401, .auth, "the credentials are missing or not valid"),
        Entry(40300, "FORBIDDEN", 403, .permission, "the key is not granted this, for instance the coreType"),
        Entry(40400, "NOT_FOUND", 404, .notFound, "there is nothing of this name"),
        Entry(40900, "CONFLICT", 409, .conflict, "the request contradicts the state of what it is about"),
        Entry(
            40901,
            "IDEMPOTENCY_IN_PROGRESS",
            409,
            .conflict,
            isRetryable: true,
            "a request with the same key still runs"
        ),
        Entry(40902, "QUOTA_INSUFFICIENT", 409, .quota, "the account's quota does not suffice"),
        Entry(40903, "IDEMPOTENCY_KEY_REUSED", 409, .conflict, "the key was used for another request"),
        Entry(
            42900,
            "TOO_MANY_REQUESTS",
            429,
            .rateLimit,
            isRetryable: true,
            "too many requests, or too long a wait in the platform's queue"
        ),
        Entry(42901, "CONCURRENCY_LIMIT", 429, .rateLimit, isRetryable: true, "too many calls run at once"),
        Entry(42902, "TRIAL_REPORT_DAILY_LIMIT", 429, .quota, "the day's reports of the account are used up"),
        Entry(42903, "SANDBOX_DAILY_LIMIT", 429, .quota, "the day's calls of the sandbox key are used up"),
        Entry(50000, "INTERNAL_ERROR", 500, .server, isRetryable: true, "the platform failed"),
        Entry(50010, "FEATURE_NOT_IMPLEMENTED", 500, .server, "the platform does not offer this yet"),
        Entry(50200, "UPSTREAM_SERVICE_ERROR", 502, .upstream, isRetryable: true, "the scoring engine is unavailable"),
        Entry(2001, "TOKEN_EXPIRED", 401, .auth, "the token has expired"),
        Entry(2002, "TOKEN_INVALID", 401, .auth, "the token is not valid, or the timestamp is out of its window"),
        Entry(
            2003,
            "SIGNATURE_VERIFICATION_FAILED",
            401,
            .auth,
            "the signature does not match; check the secretKey and the clock"
        ),
        Entry(2004, "SESSION_EXPIRED", 401, .auth, "the session has expired"),
        Entry(2005, "TOKEN_BLACKLISTED", 401, .auth, "the token was revoked"),
        Entry(2006, "API_KEY_INVALID", 401, .auth, "the key is not valid"),
        Entry(2007, "API_KEY_EXPIRED", 401, .auth, "the key has expired; have it renewed"),
        Entry(2008, "TOKEN_METADATA_NOT_FOUND", 401, .auth, "the platform has lost what belongs to the token"),
        Entry(2009, "TOKEN_REFRESH_FAILED", 401, .auth, "the token could not be renewed"),
        Entry(2010, "API_KEY_NOT_FOUND", 401, .auth, "the platform does not know the key; check the appKey"),
        Entry(2011, "API_KEY_DISABLED", 401, .auth, "the key is disabled; have it enabled or use another one"),
        Entry(2012, "API_KEY_QUOTA_EXCEEDED", 400, .quota, "the key's quota is used up"),
        Entry(3001, "RATE_LIMIT_EXCEEDED_IP", 429, .rateLimit, isRetryable: true, "too many requests of an address"),
        Entry(3002, "RATE_LIMIT_EXCEEDED_USER", 429, .rateLimit, isRetryable: true, "too many requests of a user"),
        Entry(3003, "RATE_LIMIT_EXCEEDED_API_KEY", 429, .rateLimit, isRetryable: true, "too many requests of a key"),
        Entry(1004, "USER_DISABLED", 400, .permission, "the user is disabled"),
        Entry(1005, "USER_LOCKED", 400, .permission, "the user is locked"),
        Entry(1012, "ACCOUNT_DISABLED", 400, .permission, "the account is disabled"),
        Entry(1013, "ACCOUNT_FROZEN", 400, .permission, "the account is frozen"),
        Entry(1310, "ACCOUNT_BALANCE_INSUFFICIENT", 400, .quota, "the account's balance does not suffice; pay in"),
        Entry(1311, "ACCOUNT_LEDGER_CONFLICT", 400, .conflict, isRetryable: true, "two bookings met at the account"),
    ]
}
