/// The seam to the platforms: the gateway calls it, the upstream client implements it.
public protocol HTTPTransport: Sendable {
    /// Makes one exchange: one request is sent at most once, and its whole answer is returned.
    ///
    /// Cancelling the task drops the exchange.
    ///
    /// - Throws: ``HTTPTransportError`` when there is no complete, valid answer.
    func execute(_ request: HTTPTransportRequest) async throws(HTTPTransportError) -> HTTPTransportResponse
}

/// One request to a platform.
public struct HTTPTransportRequest: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The absolute URL.
    public var url: String
    /// The fields; length, host and connection fields are the transport's business.
    public var fields: HTTPFields
    /// The content, in order; empty for none.
    public var body: [HTTPBodySegment]
    /// How long the whole exchange may take.
    public var timeout: Duration
    /// The largest answer body in bytes.
    public var maximumResponseBody: Int
    /// Whether it may only go to addresses of the public Internet, whatever the host's name resolves to; the default is
    /// false.
    ///
    /// For URLs that somebody else wrote.
    public var isForPublicAddressesOnly = false

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - timeout: For the whole exchange. The default is 120 s (contract yugu, section 8).
    ///   - maximumResponseBody: In bytes. The default is 8 MiB.
    public init(
        method: HTTPMethod,
        url: String,
        fields: HTTPFields = HTTPFields(),
        body: [HTTPBodySegment] = [],
        timeout: Duration = .seconds(120),
        maximumResponseBody: Int = 8 << 20
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.timeout = timeout
        self.maximumResponseBody = maximumResponseBody
    }
}

/// A piece of a request body, referred to and not copied.
public enum HTTPBodySegment: Sendable {
    /// A part of an array.
    case bytes([UInt8], Range<Int>)
    /// A part of an open file.
    case file(any HTTPBodyFile, Range<Int>)

    /// All of an array.
    public static func bytes(_ bytes: [UInt8]) -> HTTPBodySegment {
        .bytes(bytes, 0..<bytes.count)
    }

    /// The number of bytes.
    public var count: Int {
        switch self {
        case .bytes(_, let range): range.count
        case .file(_, let range): range.count
        }
    }
}

/// An open file that holds body bytes; it closes when the last reference goes.
public protocol HTTPBodyFile: AnyObject, Sendable {
    /// The descriptor, to be read with positions (`pread`) only.
    var descriptor: Int32 { get }
}

/// The whole answer of a platform.
public struct HTTPTransportResponse: Sendable {
    /// The status code, 200 to 599.
    public var status: Int
    /// The fields of the final answer.
    public var fields: HTTPFields
    /// The whole content.
    public var body: [UInt8]

    /// Takes the parts.
    public init(status: Int, fields: HTTPFields, body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// An exchange without a complete, valid answer.
public struct HTTPTransportError: Error, Sendable {
    /// What went wrong; the cases serve as metric labels.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The host name has no address.
        case resolve
        /// No connection came about.
        case connect
        /// The certificate or the TLS handshake was refused.
        case tls
        /// The exchange took longer than its time.
        case timeout
        /// The connection broke before the answer was complete.
        case reset
        /// The answer is no valid HTTP, or ended before its declared end.
        case malformed
        /// The answer is larger than the limit.
        case tooLarge
        /// The caller gave up.
        case cancelled
        /// The client is shut down, or the request could not be made.
        case refused
    }

    /// What went wrong.
    public let reason: Reason
    /// How many bytes of the body (for a request without body: of the head) left for the platform.
    ///
    /// Zero proves that the request was not executed.
    public let bytesSent: Int
    /// The transport's own words, without secrets.
    public let detail: String

    /// Takes the parts.
    public init(reason: Reason, bytesSent: Int, detail: String) {
        self.reason = reason
        self.bytesSent = bytesSent
        self.detail = detail
    }
}
