/// An incremental decoder of a message's content by its framing (RFC 9112, sections 6 and 7).
///
/// It copies nothing: content is handed on as pieces of the lent bytes. Chunk extensions and trailer fields are checked
/// against their grammar and dropped.
public struct HTTP1BodyDecoder: Sendable {
    private enum State: Sendable {
        case length(Int)
        case chunked(HTTP1ChunkDecoder)
        case complete
    }

    private let limits: HTTP1Limits
    private var state: State
    private var failure: HTTPRequestBodyError?

    /// Makes a decoder.
    ///
    /// - Parameters:
    ///   - framing: How the head delimits the content.
    ///   - limits: What content and the coding around it may measure.
    public init(framing: HTTPRequestHead.Framing, limits: HTTP1Limits = .init()) {
        self.limits = limits
        switch framing {
        case .none, .length(0): self.state = .complete
        case .length(let count): self.state = .length(count)
        case .chunked: self.state = .chunked(HTTP1ChunkDecoder())
        }
    }

    /// Whether all content and what delimits it has been read.
    public var isComplete: Bool {
        if case .complete = self.state { true } else { false }
    }

    /// How many bytes of content are known to be still on their way.
    ///
    /// That is the rest of the declared length, or of the chunk that has begun: a reader with a limit can refuse content
    /// before it comes.
    public var announcedBytes: Int {
        switch self.state {
        case .length(let rest): rest
        case .chunked(let decoder): decoder.rest
        case .complete: 0
        }
    }

    /// Takes bytes from the front of a buffer.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes of the connection, lent for the time of the call.
    ///   - consumed: Set to the number of bytes taken, also when this throws; what follows the content is left alone.
    ///   - emit: Called with each piece of content; the pieces lie inside `bytes`.
    /// - Returns: Whether the content is complete.
    /// - Throws: ``HTTPRequestBodyError`` (`malformed` or `tooLarge`; the connection is to be closed), or what `emit`
    ///   threw.
    public mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        consumed: inout Int,
        emit: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        consumed = 0
        if let failure = self.failure { throw failure }
        switch self.state {
        case .complete:
            return true
        case .length(let rest):
            let count = min(rest, bytes.count)
            guard count > 0 else { return false }
            consumed = count
            self.state = count == rest ? .complete : .length(rest - count)
            try emit(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            return count == rest
        case .chunked(var decoder):
            do {
                let isComplete = try decoder.decode(bytes, consumed: &consumed, limits: self.limits, emit: emit)
                self.state = isComplete ? .complete : .chunked(decoder)
                return isComplete
            } catch {
                self.failure = error as? HTTPRequestBodyError
                self.state = .chunked(decoder)
                throw error
            }
        }
    }
}
