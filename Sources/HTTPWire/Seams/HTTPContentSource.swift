/// Content that is handed on piece by piece, each when the one before has gone: whoever is slow slows the source down.
public protocol HTTPContentSource: AnyObject, Sendable {
    /// The next bytes, never none of them; nil at the end.
    ///
    /// Used by one task at a time. Letting go of the source before its end gives the rest up.
    ///
    /// - Throws: When the rest will not come.
    func next() async throws -> [UInt8]?
}

/// The content of an answer that is not in memory.
public struct HTTPContentStream: Sendable {
    /// The number of bytes, or nil when nobody knows it yet.
    public let length: Int?
    /// Where they come from.
    public let source: any HTTPContentSource

    /// Takes the parts.
    public init(length: Int?, source: any HTTPContentSource) {
        self.length = length
        self.source = source
    }
}

/// The seam to content of any size: its head comes first, and the rest when it is asked for.
public protocol HTTPContentTransport: Sendable {
    /// Makes one exchange and returns when the answer's head is there.
    ///
    /// The limits of the request hold for the whole of it.
    ///
    /// - Throws: ``HTTPTransportError`` when there is no valid head; what fails later is thrown by the content.
    func open(_ request: HTTPTransportRequest) async throws(HTTPTransportError) -> HTTPTransportStream
}

/// An answer of which the content is still to come.
public struct HTTPTransportStream: Sendable {
    /// The status code, 200 to 599.
    public let status: Int
    /// The fields of the answer.
    public let fields: HTTPFields
    /// The content.
    public let content: HTTPContentStream

    /// Takes the parts.
    public init(status: Int, fields: HTTPFields, content: HTTPContentStream) {
        self.status = status
        self.fields = fields
        self.content = content
    }
}
