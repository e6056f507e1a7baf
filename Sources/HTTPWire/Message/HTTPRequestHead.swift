/// A request line with its fields, checked and understood (RFC 9112, sections 3 to 6).
public struct HTTPRequestHead: Sendable {
    /// The minor versions of HTTP/1 that differ in their connection rules.
    public enum Version: Hashable, Sendable {
        case http10
        case http11
    }

    /// How the content is delimited (RFC 9112, section 6.3).
    public enum Framing: Hashable, Sendable {
        /// The request has no content.
        case none
        /// Exactly this many bytes follow; zero is possible.
        case length(Int)
        /// Chunks follow until the last one.
        case chunked
    }

    /// The method.
    public var method: HTTPMethod
    /// The request target as received.
    public var target: String
    /// The path of the target, still percent-encoded; `*` for the asterisk form.
    public var path: String
    /// The query of the target without its question mark, still percent-encoded; nil when there is none.
    public var query: String?
    /// The authority that the request is for: that of an absolute target, else the Host field; nil in HTTP/1.0 without one.
    public var authority: String?
    /// The version.
    public var version: Version
    /// The header fields.
    public var fields: HTTPFields
    /// How the content is delimited.
    public var framing: Framing
    /// Whether the connection may serve a further request (RFC 9112, section 9.3).
    public var isPersistent: Bool
    /// Whether the client waits for a 100 before it sends content (RFC 9110, section 10.1.1).
    public var expectsContinue: Bool

    /// Takes what a parser found.
    public init(
        method: HTTPMethod,
        target: String,
        path: String,
        query: String?,
        authority: String?,
        version: Version,
        fields: HTTPFields,
        framing: Framing,
        isPersistent: Bool,
        expectsContinue: Bool
    ) {
        self.method = method
        self.target = target
        self.path = path
        self.query = query
        self.authority = authority
        self.version = version
        self.fields = fields
        self.framing = framing
        self.isPersistent = isPersistent
        self.expectsContinue = expectsContinue
    }
}
