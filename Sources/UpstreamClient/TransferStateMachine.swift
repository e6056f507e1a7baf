internal import HTTPWire

/// Decides what an exchange came to: facts go in, a verdict comes out.
///
/// No socket, no clock, no libcurl.
struct TransferStateMachine {
    /// What is known of the request beforehand.
    struct Request {
        /// The number of bytes of content.
        var bodyCount: Int
        /// Whether the request may reach the platform twice: it has no content, and its method is idempotent.
        var isRepeatable: Bool
        /// Whether the connection is encrypted.
        var isSecure: Bool
        /// Whether the answer has no content whatever its fields say.
        var isHead: Bool
        /// The largest content of the answer in bytes.
        var maximumResponseBody: Int
        /// The largest head of the answer in bytes.
        var maximumResponseHead: Int
        /// How long the exchange may take.
        var timeout: Duration
    }

    /// How libcurl's part ended.
    struct End {
        /// libcurl's result, as far as it makes a difference.
        enum Cause: Hashable {
            /// libcurl is content, which alone is no proof: it accepts a head that breaks off.
            case complete
            case resolve
            case connect
            case tls
            case timeout
            /// Writing or reading failed, or the connection ended without a byte.
            case broken
            /// The connection ended before the content did.
            case partial
            /// libcurl wanted to send the request again and could not rewind its content.
            case rewindRefused
            case malformed
            case tooLarge
            /// One of our callbacks said stop.
            case stopped
            case other
        }

        var cause: Cause
        /// libcurl's own words.
        var detail: String
        /// Bytes of content that libcurl wrote to the socket or to the TLS layer.
        var uploaded: Int
        /// Bytes of head that libcurl wrote.
        var headSent: Int
        /// How long the exchange took.
        var elapsed: Duration
        /// Whether it used a connection of an earlier exchange.
        var isReused: Bool
    }

    /// What is to happen now.
    enum Verdict {
        /// The answer is complete.
        case answer(status: Int, fields: HTTPFields)
        /// The pooled connection was useless and no byte of content left: once more, on a new one.
        case retryOnFreshConnection
        /// There is no answer.
        case failure(HTTPTransportError)
    }

    /// What a callback found wrong; it outweighs what libcurl says about being stopped.
    private enum Fault {
        case head(ResponseHead.Fault)
        case bodyTooLarge
        case bodySource
        case address
        case repetition
    }

    /// The head of the answer.
    private(set) var head: ResponseHead
    /// Bytes of the answer's content.
    private(set) var received = 0

    private let request: Request
    private var handed = 0
    private var starts = 0
    private var fault: Fault?
    private var isConnectionUseless = false
    private var hasOrderlyEnd = false
    private var isRetried = false

    /// Begins before anything happened.
    init(_ request: Request) {
        self.request = request
        self.head = ResponseHead(limit: request.maximumResponseHead, isAnswerToHead: request.isHead)
    }

    // MARK: - What happens

    /// The request is about to be written to a connection.
    ///
    /// False: it must not be.
    ///
    /// libcurl calls this again when it repeats a request on its own, after a reused connection died without an
    /// answer. Content whose first byte was handed out, and a request without content that is not idempotent, stay
    /// unrepeated.
    mutating func start() -> Bool {
        self.starts += 1
        guard self.starts > 1, self.handed > 0 || (self.request.bodyCount == 0 && !self.request.isRepeatable) else {
            return true
        }
        self.fault = .repetition
        return false
    }

    /// The pooled connection that the request is about to be written to has ended, or holds bytes that nobody asked for
    /// and that would be taken for the answer.
    ///
    /// False: it must not be used, a new one will be.
    mutating func meetUselessConnection() -> Bool {
        // A new connection is what it is.
        guard !self.isRetried else { return true }
        self.isConnectionUseless = true
        return false
    }

    /// Bytes of content were given to libcurl.
    mutating func hand(_ count: Int) {
        self.handed += count
    }

    /// The content could not be read from its file.
    mutating func failBodySource() {
        self.fault = .bodySource
    }

    /// Plain HTTP would have gone to an address beyond this machine, or a request for the public Internet to another.
    mutating func refuseAddress() {
        self.fault = .address
    }

    /// A line of the answer's head or of its trailers.
    ///
    /// False: stop.
    mutating func takeHeadLine(_ line: UnsafeRawBufferPointer) -> Bool {
        let wasFinished = self.head.isFinished
        if let fault = self.head.take(line) {
            self.fault = .head(fault)
            return false
        }
        if !wasFinished, self.head.isFinished, case .length(let length) = self.head.framing,
            length > self.request.maximumResponseBody
        {
            self.fault = .bodyTooLarge
            return false
        }
        return true
    }

    /// How much memory the answer's content will take, when that is known.
    var expectedBodyCount: Int? {
        guard self.head.isFinished, case .length(let length) = self.head.framing else { return nil }
        return length
    }

    /// Bytes of the answer's content.
    ///
    /// False: stop.
    mutating func takeBody(_ count: Int) -> Bool {
        guard self.head.isFinished else {
            self.fault = .head(.malformed("content without a head"))
            return false
        }
        self.received += count
        guard self.received <= self.request.maximumResponseBody else {
            self.fault = .bodyTooLarge
            return false
        }
        return true
    }

    /// The platform has said under TLS that its connection ends.
    mutating func endOrderly() {
        self.hasOrderlyEnd = true
    }

    /// The request begins anew on a new connection.
    mutating func restart() {
        self = TransferStateMachine(self.request)
        self.isRetried = true
    }

    // MARK: - What it comes to

    /// Whether a complete and valid answer has arrived; asked only when libcurl is content.
    var isAnswered: Bool {
        guard self.fault == nil, self.head.isFinished else { return false }
        switch self.head.framing {
        case .length(let length): return length == self.received
        // Under TLS a cut is told from an end; a plain connection, which never leaves this machine, has only ends.
        case .close: return self.hasOrderlyEnd || !self.request.isSecure
        case .none, .chunked: return true
        }
    }

    /// Judges the exchange at its end.
    func verdict(at end: End) -> Verdict {
        if end.cause == .complete, self.isAnswered {
            return .answer(status: self.head.status, fields: self.head.fields)
        }
        if self.mayRetry(after: end) {
            return .retryOnFreshConnection
        }
        let (reason, detail) = self.explain(end)
        return .failure(self.error(reason, detail, end))
    }

    /// The error of an exchange that is given up from outside.
    func abandoned(_ reason: HTTPTransportError.Reason, _ detail: String, at end: End) -> HTTPTransportError {
        self.error(reason, detail, end)
    }

    private func mayRetry(after end: End) -> Bool {
        guard self.fault == nil, !self.isRetried else { return false }
        if self.isConnectionUseless { return self.handed == 0 }
        return end.cause == .broken && end.isReused && self.request.bodyCount > 0 && self.head.byteCount == 0
            && self.bytesSent(at: end) == 0
    }

    /// The number of bytes that may have reached the platform; zero only when none can have.
    private func bytesSent(at end: End) -> Int {
        guard self.starts > 0 else { return 0 }
        let wasRepeated =
            if case .repetition? = self.fault { true } else { end.cause == .rewindRefused }
        if self.request.bodyCount == 0 {
            return wasRepeated ? max(1, end.headSent) : end.headSent
        }
        // On a plain socket libcurl counts what the kernel took. Under TLS some records may have left although the
        // write as a whole has not returned, and a repetition resets the count: then what was handed out counts.
        return self.request.isSecure || wasRepeated ? self.handed : min(self.handed, end.uploaded)
    }

    private func explain(_ end: End) -> (HTTPTransportError.Reason, String) {
        switch self.fault {
        case .head(.malformed(let what)): return (.malformed, "\(what)")
        case .head(.tooLarge): return (.tooLarge, "the head of the answer is too large")
        case .bodyTooLarge: return (.tooLarge, "the answer is larger than \(self.request.maximumResponseBody) bytes")
        case .bodySource: return (.refused, "the content of the request could not be read from its file")
        case .address:
            let isPlain = !self.request.isSecure
            return (.refused, isPlain ? RequestURL.Fault.insecure.detail : "the host's address is not a public one")
        case .repetition: return (.reset, "the connection broke before an answer; the request was not repeated")
        case nil: break
        }
        let reason: HTTPTransportError.Reason =
            switch end.cause {
            case .resolve: .resolve
            case .connect: .connect
            case .tls: self.starts == 0 ? .tls : .reset
            case .timeout: self.isConnectTimeout(end) ? .connect : .timeout
            case .broken, .rewindRefused: self.starts == 0 ? .connect : .reset
            case .partial, .malformed: .malformed
            case .tooLarge: .tooLarge
            case .complete: .malformed
            case .stopped, .other: self.starts == 0 ? .refused : .reset
            }
        return (reason, end.cause == .complete ? "the answer is not complete" : end.detail)
    }

    private func isConnectTimeout(_ end: End) -> Bool {
        self.starts == 0 && end.elapsed < self.request.timeout
    }

    private func error(
        _ reason: HTTPTransportError.Reason,
        _ detail: String,
        _ end: End
    ) -> HTTPTransportError {
        HTTPTransportError(reason: reason, bytesSent: self.bytesSent(at: end), detail: detail)
    }
}
