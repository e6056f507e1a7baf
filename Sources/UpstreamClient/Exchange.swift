internal import EventLoop
internal import HTTPWire
internal import Synchronization

/// One exchange from the call to its result.
///
/// `@unchecked Sendable`: made by the caller, then touched on the loop of its pool only; `isCancelled` is atomic.
final class Exchange: @unchecked Sendable {
    typealias Result = Swift.Result<HTTPTransportResponse, HTTPTransportError>

    /// What the connection must lead to.
    let origin: ConnectionPool.Origin
    /// When its time is up.
    let deadline: EventLoop.Instant
    private(set) var reader: AnswerReader
    /// What is sent and how far that has come.
    var writer: RequestWriter

    private let pool: ConnectionPool
    private let request: HTTPTransportRequest
    private let head: [UInt8]
    /// Where the content goes as it comes; nil when all of it is gathered first.
    private let flow: ContentFlow?
    /// Set by whoever cancels, on any thread, in case the exchange has not begun.
    private let isCancelled = Atomic<Bool>(false)
    private var body: [UInt8] = []
    private var isAnnounced = false
    private var isRepeated = false
    /// Bytes of an earlier transmission that may have reached the platform.
    private var sentBefore = 0
    private var isRunning = false
    private var connection: UpstreamConnection?
    private var continuation: CheckedContinuation<Result, Never>?

    /// - Throws: ``HTTPTransportError``, reason `refused`, when the request cannot be sent.
    init(
        _ request: HTTPTransportRequest,
        through pool: ConnectionPool,
        flow: ContentFlow? = nil
    ) throws(HTTPTransportError) {
        let url: RequestURL
        do throws(RequestURL.Fault) {
            url = try RequestURL(checking: request.url)
        } catch {
            throw Self.refusal(error.detail)
        }
        let body = RequestBodyReader(request.body)
        guard body.isValid else { throw Self.refusal("a segment lies outside of its array") }
        var head: [UInt8] = []
        head.reserveCapacity(768)
        let isEncoded = HTTP1RequestEncoder.encodeHead(
            of: request.method,
            host: url.host,
            target: url.target,
            fields: request.fields,
            contentLength: body.count,
            into: &head
        )
        guard isEncoded, request.method != .head || body.count == 0 else {
            throw Self.refusal("the request's fields or method cannot be sent")
        }
        self.origin = ConnectionPool.Origin(
            url: url.origin,
            isSecure: url.isSecure,
            isPublicOnly: request.isForPublicAddressesOnly
        )
        self.pool = pool
        self.request = request
        self.head = head
        self.flow = flow
        self.deadline = pool.loop.now + request.timeout
        self.writer = RequestWriter(head: head, body: body, isSecure: url.isSecure)
        self.reader = Self.reader(of: request, pool)
    }

    private static func refusal(_ detail: String) -> HTTPTransportError {
        HTTPTransportError(reason: .refused, bytesSent: 0, detail: detail)
    }

    private static func reader(of request: HTTPTransportRequest, _ pool: ConnectionPool) -> AnswerReader {
        AnswerReader(
            isAnswerToHead: request.method == .head,
            maximumHead: pool.configuration.maximumResponseHead,
            maximumContent: request.maximumResponseBody
        )
    }

    /// Runs the exchange and returns what it came to: all of the answer, or its head when the content flows.
    func run() async -> Result {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.continuation = continuation
                if self.pool.loop.isCurrent {
                    self.start()
                } else {
                    self.pool.loop.execute { self.start() }
                }
            }
        } onCancel: {
            self.isCancelled.store(true, ordering: .releasing)
            self.cancel()
        }
    }

    private func start() {
        guard !self.isCancelled.load(ordering: .acquiring) else {
            return self.finish(.cancelled, "cancelled before it began")
        }
        guard self.request.timeout > .zero else { return self.finish(.timeout, "no time was left to begin") }
        guard self.pool.admit() else { return self.finish(.refused, "too many exchanges at one time") }
        self.isRunning = true
        self.pool.carry(self)
    }

    /// Drops the exchange, and its connection with it; any thread.
    func cancel() {
        self.pool.loop.execute { self.abandon(.cancelled, "cancelled by the caller") }
    }

    // MARK: - On a connection

    /// The exchange is carried by a connection now.
    func began(on connection: UpstreamConnection) {
        self.connection = connection
    }

    /// Takes bytes of the answer.
    ///
    /// - Returns: How many of them belong to it.
    /// - Throws: What is wrong with the answer.
    func take(_ bytes: UnsafeRawBufferPointer) throws(AnswerReader.Fault) -> Int {
        var used = try self.reader.takeHead(bytes)
        guard self.reader.head.isFinished else { return used }
        if !self.isAnnounced { self.announce() }
        let content = UnsafeRawBufferPointer(rebasing: bytes[used...])
        used += try self.reader.takeContent(content) { piece in
            if let flow = self.flow { flow.take(piece) } else { self.body.append(contentsOf: piece) }
        }
        return used
    }

    /// The head is there.
    private func announce() {
        self.isAnnounced = true
        if self.flow == nil {
            self.body.reserveCapacity(self.reader.announcedContent ?? 0)
        } else {
            self.resume(.success(self.answer))
        }
    }

    /// Whether the reader of the content has enough for now.
    var isHeld: Bool { self.flow?.isFull ?? false }

    /// The reader has taken what there was.
    func goOn() {
        self.connection?.goOn()
    }

    /// The connection ended: whether the answer is complete by that.
    func takeEnd(isOrderly: Bool) -> Bool {
        self.reader.end(isOrderly: isOrderly)
    }

    /// Whether the request may be sent once more after a connection of an earlier exchange broke.
    ///
    /// The platform may have closed it at the same time: then nothing answers, and what has content or is not idempotent
    /// must not have been sent in part.
    func mayRepeat() -> Bool {
        guard !self.isRepeated, !self.reader.hasBegun else { return false }
        return self.writer.bytesSent == 0 || (!self.writer.hasContent && self.isIdempotent)
    }

    private var isIdempotent: Bool {
        switch self.request.method {
        case .get, .head, .options, .put, .delete: true
        case .post, .patch, .other: false
        }
    }

    /// Begins again from the first byte, on a new connection.
    func repeatOnNewConnection() {
        self.isRepeated = true
        self.sentBefore = self.writer.bytesSent
        self.connection = nil
        self.writer = RequestWriter(
            head: self.head,
            body: RequestBodyReader(self.request.body),
            isSecure: self.origin.isSecure
        )
        self.reader = Self.reader(of: self.request, self.pool)
        self.pool.connect(for: self)
    }

    // MARK: - The end

    /// The answer is complete.
    func finish() {
        self.end(.success(self.answer))
    }

    /// There is no answer.
    func finish(_ reason: HTTPTransportError.Reason, _ detail: String) {
        let bytesSent = max(self.sentBefore, self.writer.bytesSent)
        self.end(.failure(HTTPTransportError(reason: reason, bytesSent: bytesSent, detail: detail)))
    }

    /// Gives up from outside.
    private func abandon(_ reason: HTTPTransportError.Reason, _ detail: String) {
        guard self.isRunning else { return }
        self.connection?.close()
        self.finish(reason, detail)
    }

    private var answer: HTTPTransportResponse {
        let head = self.reader.head
        return HTTPTransportResponse(status: head.status, fields: head.fields, body: self.body)
    }

    private func end(_ result: Result) {
        if self.isRunning { self.pool.leave() }
        self.isRunning = false
        self.connection = nil
        self.flow?.finish(result.map { _ in })
        self.resume(result)
    }

    private func resume(_ result: Result) {
        guard let continuation = self.continuation else { return }
        self.continuation = nil
        self.body = []
        continuation.resume(returning: result)
    }
}
