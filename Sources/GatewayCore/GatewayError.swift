internal import HTTPWire

/// A refusal or failure that the gateway answers with, decided where the facts are known.
public struct GatewayError: Error, Sendable {
    /// Whose fault it is; for logs and metrics.
    public enum Origin: String, Sendable, CaseIterable {
        case client
        case upstream
        case gateway
    }

    /// The HTTP status.
    public let status: Int
    /// The code of the body.
    public let code: GatewayCode
    /// What is wrong and what to do about it, without secrets.
    public let message: String
    /// Whose fault it is.
    public let origin: Origin
    /// The category of the body where it is not the code's.
    public var category: ErrorCategory?
    /// A word for programs that tells failures of one code apart.
    public var reason: String?
    /// Seconds after which a new attempt makes sense.
    public var retryAfter: Int?
    /// The methods of the `Allow` field, for 405.
    public var allow: String?
    /// How often the platform was asked; zero for a local refusal.
    public var attempts = 0
    /// What the precheck has found in the recording, as the value of its field; nil for nothing.
    public var warnings: String?
    /// The key of the call, on a paid route.
    public var idempotencyKey: String?

    /// Makes an error; the fixed forms below are the usual way.
    public init(
        status: Int,
        code: GatewayCode,
        origin: Origin,
        message: String,
        reason: String? = nil,
        retryAfter: Int? = nil
    ) {
        self.status = status
        self.code = code
        self.origin = origin
        self.message = message
        self.reason = reason
        self.retryAfter = retryAfter
    }

    /// 400: the request cannot be right.
    public static func invalid(_ message: String) -> GatewayError {
        GatewayError(status: 400, code: .validation, origin: .client, message: message)
    }

    /// 415: the content is not what the route takes.
    public static func unsupportedMediaType(_ message: String) -> GatewayError {
        GatewayError(status: 415, code: .validation, origin: .client, message: message)
    }

    /// 413: the content is too large.
    public static func tooLarge(limit: Int) -> GatewayError {
        GatewayError(
            status: 413,
            code: .validation,
            origin: .client,
            message: "The request body is larger than \(limit) bytes, the most that is taken here; send less."
        )
    }

    /// 401, the same for every reason: a caller learns nothing about keys.
    public static let unauthorized = GatewayError(
        status: 401,
        code: .unauthorized,
        origin: .client,
        message: "No valid credential; send Authorization: Bearer with an API key or a token of this gateway."
    )

    /// 401 for a signature whose fault lies outside of what is secret.
    public static func badSignature(_ message: String) -> GatewayError {
        GatewayError(status: 401, code: .unauthorized, origin: .client, message: message)
    }

    /// 403: the credential does not cover the operation.
    public static func forbidden(_ message: String) -> GatewayError {
        GatewayError(status: 403, code: .forbidden, origin: .client, message: message)
    }

    /// 404: nothing here.
    public static func notFound(_ message: String) -> GatewayError {
        GatewayError(status: 404, code: .notFound, origin: .client, message: message)
    }

    /// A request that opens no WebSocket connection.
    static func badHandshake(_ error: WebSocketHandshakeError) -> GatewayError {
        let code: GatewayCode = error == .origin ? .forbidden : .validation
        return GatewayError(status: error.status.code, code: code, origin: .client, message: error.message)
    }

    /// 405 with the methods that exist.
    public static func methodNotAllowed(_ allow: String) -> GatewayError {
        var error = GatewayError(
            status: 405,
            code: .validation,
            origin: .client,
            message: "The method is not available here; use \(allow)."
        )
        error.allow = allow
        return error
    }

    /// 409/40903: the key belongs to another request.
    public static let keyReused = GatewayError(
        status: 409,
        code: .keyReused,
        origin: .client,
        message: "The idempotency key was used for a different request; use a new key for new content."
    )

    /// 409/40901: the first request with this key still runs.
    public static let inProgress = GatewayError(
        status: 409,
        code: .inProgress,
        origin: .client,
        message: "A request with this idempotency key is still running; send it again with the same key.",
        retryAfter: 2
    )

    /// 409/40900 for a key whose call may have been executed and can no longer be fetched.
    public static let outcomeLost = GatewayError(
        status: 409,
        code: .conflict,
        origin: .gateway,
        message: "Whether the call with this key was executed is unknown and can no longer be found out; "
            + "ask the operator to settle the key, or use a new one.",
        reason: "outcome_unknown"
    )

    /// 409/40900 for a key that the operator settled as billed.
    public static let settledBilled = GatewayError(
        status: 409,
        code: .conflict,
        origin: .gateway,
        message: "The call with this key was executed but its answer is lost; use a new key to evaluate again.",
        reason: "settled_billed"
    )

    /// 410/40400 for a key whose call was erased.
    public static let erased = GatewayError(
        status: 410,
        code: .notFound,
        origin: .client,
        message: "The call with this key was erased; use a new key to evaluate again.",
        reason: "erased"
    )

    /// 502/50200 for a paid call that may have been executed.
    public static let outcomeUnknown = GatewayError(
        status: 502,
        code: .upstream,
        origin: .upstream,
        message: "The platform gave no usable answer and may have executed the call; "
            + "send the same request with the same key again, it is not billed twice.",
        reason: "outcome_unknown",
        retryAfter: 2
    )

    /// 502/50200 for a platform that cannot be reached; nothing was executed.
    public static func unreachable(_ detail: String) -> GatewayError {
        GatewayError(
            status: 502,
            code: .upstream,
            origin: .upstream,
            message: "The platform could not be reached (\(detail)); nothing was executed, try again later.",
            retryAfter: 2
        )
    }

    /// 502/50200 when the platform refuses our own account's credentials.
    public static let accountRefused = GatewayError(
        status: 502,
        code: .upstream,
        origin: .gateway,
        message: "The platform refuses the gateway's own account; the operator has to correct its keys.",
        reason: "account_not_ready",
        retryAfter: 10
    )

    /// 429/42901: no account slot became free in time.
    public static let queueFull = GatewayError(
        status: 429,
        code: .concurrencyLimit,
        origin: .gateway,
        message: "Too many calls run or wait for the platform account; try again shortly.",
        reason: LimitRefusal.accountQueue.rawValue,
        retryAfter: 2
    )

    /// 503/50000: the claim cannot be stored, so nothing is sent.
    public static let storeUnavailable = GatewayError(
        status: 503,
        code: .internalError,
        origin: .gateway,
        message: "The gateway cannot write its store, so it sends no paid call; nothing was executed.",
        reason: "store_unavailable",
        retryAfter: 5
    )

    /// 503/50000: what is left of the disk is for the answers of calls that run.
    public static let diskLow = GatewayError(
        status: 503,
        code: .internalError,
        origin: .gateway,
        message: "The gateway's disk is nearly full, so it sends no paid call; nothing was executed, try again later.",
        reason: "disk_low",
        retryAfter: 10
    )

    /// 503/50000: no room for the request's body.
    public static let spoolFull = GatewayError(
        status: 503,
        code: .internalError,
        origin: .gateway,
        message: "The gateway has no room for another upload of this client at the moment; try again shortly.",
        reason: LimitRefusal.spool.rawValue,
        retryAfter: 5
    )

    /// 503/50000: too much content waits for the proof of who sent it.
    public static let unprovenFull = GatewayError(
        status: 503,
        code: .internalError,
        origin: .gateway,
        message: "Too many signed uploads are under way whose signature cannot be checked yet; try again shortly.",
        reason: LimitRefusal.unproven.rawValue,
        retryAfter: 2
    )

    /// 503/50000: there is more work than can be done in time.
    static func overloaded(_ limit: LimitRefusal) -> GatewayError {
        GatewayError(
            status: 503,
            code: .internalError,
            origin: .gateway,
            message: "The gateway has more work than it can do in time, so nothing was begun; try again shortly.",
            reason: limit.rawValue,
            retryAfter: 2
        )
    }

    /// 403/40300: the calls of a token are used up.
    public static let tokenExhausted = GatewayError(
        status: 403,
        code: .forbidden,
        origin: .client,
        message: "The calls of this token are used up; ask for a new token.",
        reason: LimitRefusal.tokenCalls.rawValue
    )

    /// 503/50000: the daemon is going down.
    public static let draining = GatewayError(
        status: 503,
        code: .internalError,
        origin: .gateway,
        message: "The gateway is shutting down; send the request again.",
        reason: "draining",
        retryAfter: 5
    )

    /// 503/50000: the daemon goes down before the platform has answered a call that was sent.
    public static let cutOff = GatewayError(
        status: 503,
        code: .internalError,
        origin: .gateway,
        message: "The gateway had to stop before the platform answered, and the call may have been executed; "
            + "send the same request with the same key again, it is not billed twice.",
        reason: "outcome_unknown",
        retryAfter: 5
    )

    /// 500/50000: a fault of ours, without detail.
    public static let unexpected = GatewayError(
        status: 500,
        code: .internalError,
        origin: .gateway,
        message: "The gateway failed; its log tells more under this request id."
    )
}
