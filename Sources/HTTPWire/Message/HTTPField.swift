/// The vocabulary of header fields (RFC 9110, section 5).
public enum HTTPField {
    /// A field name, valid and in lower case: two spellings of one name are equal.
    public struct Name: Hashable, Sendable {
        /// The name in lower case.
        public let canonical: String
        /// The name as it is written on the wire.
        public let spelling: String

        /// Takes a name, or nil when it is no token (RFC 9110, section 5.6.2).
        public init?(_ text: String) {
            guard !text.isEmpty, text.utf8.allSatisfy(HTTPToken.isTokenByte) else { return nil }
            self.init(unchecked: text)
        }

        /// Takes a name that stands in the source; one that is no token is our own mistake and traps.
        public init(literal: StaticString) {
            let text = String(describing: literal)
            precondition(Self(text) != nil, "not a field name")
            self.init(unchecked: text)
        }

        private init(unchecked text: String) {
            self.spelling = text
            self.canonical = String(decoding: text.utf8.map(HTTPToken.lowercased), as: UTF8.self)
        }

        public static func == (left: Name, right: Name) -> Bool {
            left.canonical == right.canonical
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(self.canonical)
        }

        public static let accept = Name(unchecked: "Accept")
        public static let allow = Name(unchecked: "Allow")
        public static let authorization = Name(unchecked: "Authorization")
        public static let connection = Name(unchecked: "Connection")
        public static let contentDisposition = Name(unchecked: "Content-Disposition")
        public static let contentEncoding = Name(unchecked: "Content-Encoding")
        public static let contentLength = Name(unchecked: "Content-Length")
        public static let contentType = Name(unchecked: "Content-Type")
        public static let date = Name(unchecked: "Date")
        public static let expect = Name(unchecked: "Expect")
        public static let host = Name(unchecked: "Host")
        public static let idempotencyKey = Name(unchecked: "Idempotency-Key")
        public static let idempotencyReplayed = Name(unchecked: "Idempotency-Replayed")
        public static let keepAlive = Name(unchecked: "Keep-Alive")
        public static let retryAfter = Name(unchecked: "Retry-After")
        public static let server = Name(unchecked: "Server")
        public static let te = Name(unchecked: "TE")
        public static let trailer = Name(unchecked: "Trailer")
        public static let transferEncoding = Name(unchecked: "Transfer-Encoding")
        public static let upgrade = Name(unchecked: "Upgrade")
        public static let userAgent = Name(unchecked: "User-Agent")
        public static let xIdempotencyKey = Name(unchecked: "X-Idempotency-Key")
        public static let xRequestID = Name(unchecked: "X-Request-Id")
        public static let xTraceID = Name(unchecked: "x-trace-id")
    }
}
