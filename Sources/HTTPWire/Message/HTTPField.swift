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
            self.canonical = HTTPToken.lowercased(text.utf8)
        }

        /// Compares without regard to case.
        public static func == (left: Name, right: Name) -> Bool {
            left.canonical == right.canonical
        }

        /// Hashes the lower-case form.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(self.canonical)
        }

        /// The name `Accept`.
        public static let accept = Name(unchecked: "Accept")
        /// The name `Age`.
        public static let age = Name(unchecked: "Age")
        /// The name `Allow`.
        public static let allow = Name(unchecked: "Allow")
        /// The name `Authorization`.
        public static let authorization = Name(unchecked: "Authorization")
        /// The name `Connection`.
        public static let connection = Name(unchecked: "Connection")
        /// The name `Content-Disposition`.
        public static let contentDisposition = Name(unchecked: "Content-Disposition")
        /// The name `Content-Length`.
        public static let contentLength = Name(unchecked: "Content-Length")
        /// The name `Content-Type`.
        public static let contentType = Name(unchecked: "Content-Type")
        /// The name `Date`.
        public static let date = Name(unchecked: "Date")
        /// The name `Host`.
        public static let host = Name(unchecked: "Host")
        /// The name `Idempotency-Key`.
        public static let idempotencyKey = Name(unchecked: "Idempotency-Key")
        /// The name `Idempotency-Replayed`.
        public static let idempotencyReplayed = Name(unchecked: "Idempotency-Replayed")
        /// The name `Origin`.
        public static let origin = Name(unchecked: "Origin")
        /// The name `Retry-After`.
        public static let retryAfter = Name(unchecked: "Retry-After")
        /// The name `Sec-WebSocket-Accept`.
        public static let secWebSocketAccept = Name(unchecked: "Sec-WebSocket-Accept")
        /// The name `Sec-WebSocket-Extensions`.
        public static let secWebSocketExtensions = Name(unchecked: "Sec-WebSocket-Extensions")
        /// The name `Sec-WebSocket-Key`.
        public static let secWebSocketKey = Name(unchecked: "Sec-WebSocket-Key")
        /// The name `Sec-WebSocket-Protocol`.
        public static let secWebSocketProtocol = Name(unchecked: "Sec-WebSocket-Protocol")
        /// The name `Sec-WebSocket-Version`.
        public static let secWebSocketVersion = Name(unchecked: "Sec-WebSocket-Version")
        /// The name `Transfer-Encoding`.
        public static let transferEncoding = Name(unchecked: "Transfer-Encoding")
        /// The name `Upgrade`.
        public static let upgrade = Name(unchecked: "Upgrade")
        /// The name `X-Idempotency-Key`.
        public static let xIdempotencyKey = Name(unchecked: "X-Idempotency-Key")
        /// The name `X-Request-Id`.
        public static let xRequestID = Name(unchecked: "X-Request-Id")
        /// The name `x-trace-id`.
        public static let xTraceID = Name(unchecked: "x-trace-id")
    }
}
