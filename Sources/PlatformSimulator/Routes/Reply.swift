import HTTPWire

/// What a route answers, with what the log notes of it.
struct Reply: Sendable {
    var status: Int
    var body: [UInt8]
    var contentType = "application/json"
    /// The code of an error body.
    var code: Int?
    var recordID: String?
    var isReplayed = false
    var retryAfter: String?
    var allow: String?
    /// Further fields.
    var fields = HTTPFields()
    /// How the answer is to leave; nil for the regular way.
    var irregularity: Irregularity?

    /// A way for an answer to break the rules.
    enum Irregularity: Hashable, Sendable {
        /// The connection closes without a byte.
        case drop
        /// The declared length is off by so much.
        case length(Int)
        /// What comes is not HTTP.
        case garbage
        /// The content comes in slices with this pause between them.
        case trickle(Duration)
    }

    /// An answer with content.
    init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }

    /// An error in the platform's shape.
    init(_ error: PlatformError, timestamp: Int) {
        var writer = AnswerWriter()
        writer.raw(#"{"code":"#)
        writer.integer(error.code)
        writer.raw(#","message":"#)
        writer.string(error.message)
        writer.raw(#","timestamp":"#)
        writer.integer(timestamp)
        writer.raw("}")
        self.init(status: error.status, body: writer.bytes)
        self.code = error.code
        self.retryAfter = error.retryAfter
        self.allow = error.allow
    }
}
