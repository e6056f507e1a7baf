/// A refusal in the platform's words (contract yugu, section 9).
struct PlatformError: Error, Sendable {
    var status: Int
    var code: Int
    var message: String
    /// Seconds, or whatever a fault puts there.
    var retryAfter: String?
    /// The methods that a path allows.
    var allow: String?

    init(_ status: Int, _ code: Int, _ message: String, retryAfter: String? = nil, allow: String? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.allow = allow
    }

    static func invalid(_ message: String) -> PlatformError { PlatformError(400, 40_001, message) }
    static let unauthorized = PlatformError(401, 40_100, "credentials are missing")
    static let badSignature = PlatformError(401, 2003, "the signature, its timestamp or its nonce is not valid")
    static let unknownKey = PlatformError(401, 2010, "no such API key")
    static let badToken = PlatformError(401, 2002, "the token is not valid")
}
