extension GatewayError {
    private static func ended(_ code: GatewayCode, _ message: String, reason: String) -> GatewayError {
        GatewayError(status: 502, code: code, origin: .upstream, message: message, reason: reason)
    }

    /// 90008: a connection broke, and the audio to send again is not there.
    static let audioNotKept = Self.ended(
        .audioNotKept,
        "The platform's connection broke, and the round's audio is no longer kept; nothing was evaluated, speak again.",
        reason: "audio_not_kept"
    )

    /// 90008: more audio came than is kept, and there was no connection yet to send it over.
    static let audioTooEarly = GatewayError(
        status: 502,
        code: .audioNotKept,
        origin: .gateway,
        message: "More audio came than is kept while the platform is not connected; nothing was evaluated.",
        reason: "audio_not_kept"
    )

    /// 90008: audio has to wait for the platform, and the spool is full.
    static let noRoomForAudio = GatewayError(
        status: 503,
        code: .audioNotKept,
        origin: .gateway,
        message: "The gateway has no room for audio that waits for the platform; nothing was evaluated, try later.",
        reason: LimitRefusal.spool.rawValue,
        retryAfter: 5
    )

    /// 40001: a round whose end does not come.
    static func roundTooLong(_ limit: Duration) -> GatewayError {
        Self.timedOut(
            "The round has not ended within \(limit.secondsRoundedUp) s; nothing was evaluated, begin a new one.",
            reason: "round_timeout"
        )
    }

    /// 40001: a round in which nobody speaks.
    static func noAudio(_ limit: Duration) -> GatewayError {
        Self.timedOut(
            "No audio came for \(limit.secondsRoundedUp) s; nothing was evaluated, begin a new round.",
            reason: "audio_timeout"
        )
    }

    /// 40001: a session whose client says nothing.
    static func sessionIdle(_ limit: Duration) -> GatewayError {
        Self.timedOut(
            "Nothing came for \(limit.secondsRoundedUp) s; nothing was evaluated, and the session is closed.",
            reason: "session_idle"
        )
    }

    private static func timedOut(_ message: String, reason: String) -> GatewayError {
        var error = GatewayError(status: 408, code: .validation, origin: .client, message: message, reason: reason)
        error.category = .timeout
        return error
    }

    /// 90006: the platform could not be reached for too long.
    static func reconnectsExhausted(_ cause: String) -> GatewayError {
        Self.ended(
            .reconnectsExhausted,
            "The platform could not be reached for too long (\(cause)); nothing was evaluated, try again later.",
            reason: "reconnects_exhausted"
        )
    }

    /// 90005: the platform closed the connection for good.
    static func platformClosed(code: UInt16) -> GatewayError {
        Self.ended(
            .protocolError,
            "The platform closed the connection with \(code) before a result; nothing was evaluated.",
            reason: "platform_closed"
        )
    }

    /// 90005: the platform sent what cannot be read.
    static func platformUnexpected(_ what: String) -> GatewayError {
        Self.ended(.protocolError, "The platform's answer could not be used: \(what).", reason: "platform_unexpected")
    }
}
