/// A status line with its fields (RFC 9112, section 4).
public struct HTTPResponseHead: Sendable {
    /// The status code, 200 to 599 or 101.
    public let status: Int
    /// The header fields.
    public let fields: HTTPFields
    /// How the content is delimited; nil when it ends with the connection (RFC 9112, section 6.3).
    public let framing: HTTPRequestHead.Framing?
}
