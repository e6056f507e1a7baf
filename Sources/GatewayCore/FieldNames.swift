public import HTTPWire

extension HTTPField.Name {
    /// Names the user that a client credential acts for.
    public static let speechGateUser = HTTPField.Name(literal: "SpeechGate-User")
    /// How many requests the call cost at the platform.
    public static let attempts = HTTPField.Name(literal: "SpeechGate-Attempts")
    /// `no` when the answer could not be stored yet.
    public static let stored = HTTPField.Name(literal: "SpeechGate-Stored")
    /// `true` when the platform could not be asked and an older answer of it is given.
    public static let stale = HTTPField.Name(literal: "SpeechGate-Stale")
    /// Where a list in lines goes on.
    static let nextCursor = HTTPField.Name(literal: "SpeechGate-Next-Cursor")
    /// When a record was made.
    static let recordCreated = HTTPField.Name(literal: "SpeechGate-Created-At")
    /// What a record was made by.
    static let recordOperation = HTTPField.Name(literal: "SpeechGate-Operation")
    /// Under which key the platform knows a call.
    static let upstreamKey = HTTPField.Name(literal: "SpeechGate-Upstream-Key")
    /// The public half of a signing credential (contract yugu, section 3.2).
    public static let xAppKey = HTTPField.Name(literal: "X-App-Key")
    /// When a request was signed, Unix time in seconds.
    public static let xTimestamp = HTTPField.Name(literal: "X-Timestamp")
    /// Makes signed requests different.
    public static let xNonce = HTTPField.Name(literal: "X-Nonce")
    /// The signature.
    public static let xSignature = HTTPField.Name(literal: "X-Signature")
    /// The trace that a request is part of (W3C Trace Context).
    static let traceparent = HTTPField.Name(literal: "traceparent")
    /// Whom the proxies in front serve (RFC 7239).
    static let forwarded = HTTPField.Name(literal: "Forwarded")
    static let xForwardedFor = HTTPField.Name(literal: "X-Forwarded-For")
    static let cacheControl = HTTPField.Name(literal: "Cache-Control")
    static let wwwAuthenticate = HTTPField.Name(literal: "WWW-Authenticate")
}
