/// An answer: status, fields and content, in memory save where it is a stream.
///
/// Framing (`Content-Length`), `Date` and `Connection` are the sender's business and do not stand in `fields`.
public struct HTTPResponse: Sendable {
    /// The status.
    public var status: HTTPStatus
    /// The fields, without those that the sender adds.
    public var fields: HTTPFields
    /// The content; shared, not copied, when it comes from a cache.
    public var body: [UInt8]
    /// Content that is sent in place of `body`, as it comes.
    public var stream: HTTPContentStream?
    /// What the connection becomes in place of an answer with content; status and fields of the handshake are the
    /// server's business.
    public var upgrade: WebSocketUpgrade?

    /// Makes an answer.
    public init(status: HTTPStatus, fields: HTTPFields = HTTPFields(), body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}
