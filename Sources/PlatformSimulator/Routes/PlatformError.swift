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

    /// What the table says of a code of the platform.
    ///
    /// - Parameter retryAfter: In place of the table's seconds.
    init(code: Int, retryAfter: String? = nil) {
        guard let entry = PlatformCode(code) else { preconditionFailure("\(code) is a code of the platform") }
        self.init(
            entry.status,
            code,
            entry.message,
            retryAfter: retryAfter ?? entry.retryAfter.map { String($0) }
        )
    }

    static func invalid(_ message: String) -> PlatformError { PlatformError(400, 40_001, message) }
    static let unauthorized = PlatformError(401, 40_100, "credentials are missing")
    static let badSignature = PlatformError(code: 2003)
    static let unknownKey = PlatformError(code: 2010)
    static let badToken = PlatformError(code: 2002)
}
