internal import HTTPWire

/// The reading of one request's content: counts it, decodes it and pushes it to its consumer.
///
/// Confined to a loop.
final class BodyReading {
    // Nil throws the content away.
    private let consumer: (any HTTPBodyConsumer)?
    private let limit: Int
    private var decoder: HTTP1BodyDecoder
    private var received = 0
    private var continuation: CheckedContinuation<Void, any Error>?
    private(set) var result: Result<Void, any Error>?

    init(
        consumer: (any HTTPBodyConsumer)?,
        limit: Int,
        framing: HTTPRequestHead.Framing,
        limits: HTTP1Limits
    ) {
        self.consumer = consumer
        self.limit = limit
        self.decoder = HTTP1BodyDecoder(framing: framing, limits: limits)
    }

    /// How long all of it may take, if that is less than what everyone has; it may have changed with what was taken.
    var timeLimit: Duration? { self.consumer?.timeLimit }

    /// Takes bytes from the front of a buffer; true when the content is complete.
    func take(_ bytes: UnsafeRawBufferPointer, consumed: inout Int) throws -> Bool {
        let isComplete = try self.decoder.decode(bytes, consumed: &consumed) { piece in
            self.received += piece.count
            guard self.received <= self.limit else { throw HTTPRequestBodyError.tooLarge }
            try self.consumer?.consume(piece)
        }
        // What a chunk announces beyond the limit need not come first.
        guard isComplete || self.decoder.announcedBytes <= self.limit - self.received else {
            throw HTTPRequestBodyError.tooLarge
        }
        return isComplete
    }

    func wait(_ continuation: CheckedContinuation<Void, any Error>) {
        if let result = self.result {
            continuation.resume(with: result)
        } else {
            self.continuation = continuation
        }
    }

    func finish(_ result: Result<Void, any Error>) {
        guard self.result == nil else { return }
        self.result = result
        let continuation = self.continuation
        self.continuation = nil
        continuation?.resume(with: result)
    }
}
