/// The seam between a server and what answers: the server calls it, the gateway implements it.
public protocol HTTPResponder: Sendable {
    /// Answers one request.
    ///
    /// Runs on the connection's loop. The task is cancelled when the client has left, which a half-close is not.
    /// A body that was not read to its end makes the server close the connection behind the answer.
    func respond(to request: HTTPRequest) async -> HTTPResponse

    /// The answer to a request that could not be understood, or that the server has no room for.
    func response(to rejection: HTTPRejection) -> HTTPResponse
}

/// A request as its responder sees it: the head is there, the content may still be on its way.
public struct HTTPRequest: Sendable {
    /// The head.
    public let head: HTTPRequestHead
    /// The content.
    public let body: any HTTPRequestBody
    /// The address of the other side, without port; `unix` on a Unix-domain listener.
    public let peerAddress: String

    /// Takes the parts.
    public init(head: HTTPRequestHead, body: any HTTPRequestBody, peerAddress: String) {
        self.head = head
        self.body = body
        self.peerAddress = peerAddress
    }
}

/// The content of a request, read once.
public protocol HTTPRequestBody: Sendable {
    /// Hands all content to a consumer, piece by piece as it arrives, and returns at its end.
    ///
    /// The first call answers `Expect: 100-continue`. Nothing is read, and nothing asked for, when the declared length
    /// is above the limit.
    ///
    /// - Parameters:
    ///   - consumer: Called on the connection's loop.
    ///   - limit: The largest content in bytes.
    /// - Throws: ``HTTPRequestBodyError``, or what the consumer threw.
    func read(into consumer: any HTTPBodyConsumer, limit: Int) async throws
}

/// What takes a request's content as it arrives.
public protocol HTTPBodyConsumer: AnyObject, Sendable {
    /// How long all of the content may take where that is less than the server allows; nil for no less.
    ///
    /// It is asked whenever some has come, so that it may change with what was in it.
    var timeLimit: Duration? { get }

    /// Takes the next bytes; they are lent for the time of the call.
    ///
    /// - Throws: When no further content is wanted; reading ends with that error.
    func consume(_ bytes: UnsafeRawBufferPointer) throws
}

extension HTTPBodyConsumer {
    /// What the server allows.
    public var timeLimit: Duration? { nil }
}

/// Why a request's content could not be read to its end.
public enum HTTPRequestBodyError: Error, Equatable, Sendable {
    /// Larger than the limit; 413.
    case tooLarge
    /// It stopped coming, or came too slowly; 408.
    case timedOut
    /// The chunked coding is broken; 400.
    case malformed(String)
    /// The client left, or ended its side too early.
    case disconnected
}

/// A request that never became one.
public struct HTTPRejection: Error, Equatable, Sendable {
    /// The status to answer with: 400, 408, 413, 414, 417, 431, 501, 503 or 505.
    public let status: HTTPStatus
    /// What is wrong and what to do about it, in one sentence without any byte of the request.
    public let message: String

    /// Takes a status and a reason.
    public init(status: HTTPStatus, message: String) {
        self.status = status
        self.message = message
    }
}
