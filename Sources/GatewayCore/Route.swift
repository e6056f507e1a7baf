public import HTTPWire

/// One method on one path pattern, and what answers it.
public struct Route: Sendable {
    /// What answers a route.
    public typealias Handler = @Sendable (Exchange) async throws(GatewayError) -> HTTPResponse

    /// The method.
    public let method: HTTPMethod
    /// The path; a segment in braces takes any one segment, for instance `/v1/keys/{key}`.
    public let pattern: String
    let handle: Handler

    /// Makes a route.
    public init(_ method: HTTPMethod, _ pattern: String, handle: @escaping Handler) {
        self.method = method
        self.pattern = pattern
        self.handle = handle
    }
}

/// A request on its way through a route.
public struct Exchange: Sendable {
    /// The request.
    public let request: HTTPRequest
    /// Where the request comes from: an address, or `unix`.
    let clientAddress: String
    /// The id of the request in log and answer.
    public let requestID: String
    /// The decoded value of the pattern's segment in braces, or nil.
    public let parameter: String?
    /// Whether the gateway went down already when the request came.
    let isDraining: Bool
    /// What is learned about the request.
    public let trace: RequestTrace

    /// The request's head.
    public var head: HTTPRequestHead { self.request.head }
}
