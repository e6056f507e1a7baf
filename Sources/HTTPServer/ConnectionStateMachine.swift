internal import HTTPWire

/// What one connection does next: facts go in, decisions come out, and nothing here touches a socket or a clock.
struct ConnectionStateMachine {
    typealias Instant = ContinuousClock.Instant

    /// The spans and bounds that decisions depend on.
    struct Timeouts {
        var head: Duration
        var body: BodyPace
        var keepAlive: Duration
        var write: Duration
        var linger: Duration
        var lingerIdle: Duration
        var lingerBytes: Int
    }

    /// How long a draining server waits for the first byte of a connection.
    private static let freshTime = Duration.seconds(1)

    enum Phase: UInt8 {
        /// Between requests.
        case idle
        /// A head has begun.
        case head
        /// A responder owes an answer.
        case handling
        /// An answer is on its way out.
        case answering
        /// The last answer is out; what still comes in is thrown away.
        case lingering
        case closed
    }

    /// How far the content of the current request is.
    enum Content: UInt8 {
        /// All of it has been read, or there is none.
        case complete
        case unread
        case reading
        /// It will never be read to its end.
        case abandoned
    }

    enum AfterAnswer {
        case nextRequest
        case close
        case linger
    }

    enum EndOfInput {
        case nothing
        case close
        /// The head is cut off: answer 400.
        case rejectHead
        /// The content is cut off: tell the reader.
        case failContent
    }

    enum Expiry {
        /// The deadline has moved, or is gone.
        case nothing
        case close
        /// Answer 408.
        case rejectHead
        /// Tell the reader that nothing came.
        case failContent
    }

    private(set) var phase: Phase = .idle
    private(set) var content: Content = .complete
    private(set) var hasPeerEnded = false
    private var isPersistent = true
    private var keepsAlive = false
    // Whether the close behind the answer is ours alone, so that more input may be on its way.
    private var mustLinger = false
    private(set) var isDraining = false
    /// Whether no request has come yet.
    private var isFresh = true
    private var lingerBytesLeft: Int32 = 0
    private(set) var deadline: Instant?
    private var lingerEnd: Instant?
    private var pace: BodyPace.Progress?

    /// Whether the socket is to be read.
    var wantsInput: Bool {
        !self.hasPeerEnded && self.takesInput
    }

    /// Whether bytes from the client, from the socket or kept, are of use now.
    var takesInput: Bool {
        switch self.phase {
        case .idle, .head, .lingering: return true
        case .handling: return self.content == .reading
        case .answering, .closed: return false
        }
    }

    // MARK: - Heads

    mutating func opened(at now: Instant, _ timeouts: Timeouts) {
        self.deadline = now + timeouts.keepAlive
    }

    mutating func receivedPartOfHead(at now: Instant, _ timeouts: Timeouts) {
        guard self.phase == .idle else { return }
        self.phase = .head
        self.deadline = now + timeouts.head
    }

    mutating func receivedHead(hasContent: Bool, isPersistent: Bool) {
        precondition(self.phase == .idle || self.phase == .head, "a head came in phase \(self.phase)")
        self.phase = .handling
        self.isFresh = false
        self.content = hasContent ? .unread : .complete
        self.isPersistent = isPersistent
        self.mustLinger = false
        self.deadline = nil
    }

    /// The request is answered without a responder's work, and the connection ends.
    mutating func rejected() {
        precondition(self.phase == .idle || self.phase == .head, "a rejection came in phase \(self.phase)")
        self.phase = .handling
        self.content = .abandoned
        self.isPersistent = false
        self.deadline = nil
    }

    // MARK: - Content

    mutating func beganReading(within limit: Duration? = nil, at now: Instant, _ timeouts: Timeouts) {
        precondition(self.phase == .handling && self.content == .unread, "content is read once")
        self.content = .reading
        self.receivedContent(0, within: limit, at: now, timeouts)
    }

    /// Some content came, but not all.
    ///
    /// - Parameter limit: How long all of it may take, if that is less than what everyone has.
    mutating func receivedContent(
        _ count: Int,
        within limit: Duration? = nil,
        at now: Instant,
        _ timeouts: Timeouts
    ) {
        var pace = self.pace ?? BodyPace.Progress(start: now)
        pace.received += count
        self.pace = pace
        self.deadline = timeouts.body.deadline(of: pace, within: limit, at: now)
    }

    mutating func finishedContent() {
        self.content = .complete
        self.pace = nil
        self.deadline = nil
    }

    mutating func abandonedContent() {
        self.content = .abandoned
        self.pace = nil
        self.deadline = nil
    }

    // MARK: - Answers

    /// An answer is there; whether the connection stays open behind it.
    ///
    /// - Parameters:
    ///   - hasInput: Whether bytes of a further request are there already.
    ///   - endsWithConnection: Whether nothing but the end of the connection tells where the answer ends.
    mutating func answered(hasInput: Bool, endsWithConnection: Bool = false) -> Bool {
        precondition(self.phase == .handling, "an answer came in phase \(self.phase)")
        self.phase = .answering
        self.keepsAlive =
            self.isPersistent && !endsWithConnection && self.content == .complete && !self.isDraining
            && (hasInput || !self.hasPeerEnded)
        self.mustLinger = self.content != .complete || (self.isPersistent && !self.keepsAlive) || hasInput
        self.deadline = nil
        return self.keepsAlive
    }

    /// The socket takes no more for now; or it took some of what waits.
    mutating func wroteSome(at now: Instant, _ timeouts: Timeouts) {
        self.deadline = now + timeouts.write
    }

    mutating func wroteAll(at now: Instant, _ timeouts: Timeouts) -> AfterAnswer {
        precondition(self.phase == .answering, "an answer ended in phase \(self.phase)")
        if self.keepsAlive, !self.isDraining {
            self.phase = .idle
            self.deadline = now + timeouts.keepAlive
            return .nextRequest
        }
        guard self.mustLinger || self.keepsAlive, !self.hasPeerEnded else { return .close }
        self.phase = .lingering
        let end = now + timeouts.linger
        self.lingerEnd = end
        self.lingerBytesLeft = Int32(clamping: timeouts.lingerBytes)
        self.deadline = min(end, now + timeouts.lingerIdle)
        return .linger
    }

    /// Bytes came that nobody wants; whether the connection still listens.
    mutating func threwAway(_ count: Int, at now: Instant, _ timeouts: Timeouts) -> Bool {
        self.lingerBytesLeft -= Int32(clamping: count)
        self.deadline = min(self.lingerEnd ?? now, now + timeouts.lingerIdle)
        return self.lingerBytesLeft > 0
    }

    // MARK: - Ends

    /// The client ended its sending side, which is not leaving: an answer on its way is still wanted.
    mutating func peerEnded() -> EndOfInput {
        self.hasPeerEnded = true
        switch self.phase {
        case .idle, .lingering, .closed: return .close
        case .head: return .rejectHead
        case .handling where self.content == .reading: return .failContent
        case .handling, .answering: return .nothing
        }
    }

    mutating func expired(at now: Instant) -> Expiry {
        guard let deadline = self.deadline, deadline <= now else { return .nothing }
        self.deadline = nil
        switch self.phase {
        case .head: return .rejectHead
        case .handling where self.content == .reading: return .failContent
        case .handling, .closed: return .nothing
        case .idle, .answering, .lingering: return .close
        }
    }

    /// The server wants to end; whether this connection can be closed at once.
    ///
    /// One that has sent nothing yet may have its first request on the way: to close it would answer that with a reset.
    mutating func drain(at now: Instant) -> Bool {
        self.isDraining = true
        guard self.phase == .idle else { return false }
        guard self.isFresh else { return true }
        self.deadline = now + Self.freshTime
        return false
    }

    mutating func closed() {
        self.phase = .closed
        self.deadline = nil
    }
}

extension ConnectionStateMachine.Timeouts {
    init(_ configuration: HTTPServer.Configuration) {
        self.init(
            head: configuration.headTimeout,
            body: BodyPace(
                idle: configuration.bodyIdleTimeout,
                total: configuration.bodyTimeout,
                rate: configuration.bodyRate,
                grace: configuration.bodyGrace
            ),
            keepAlive: configuration.keepAliveTimeout,
            write: configuration.writeTimeout,
            linger: configuration.lingerTimeout,
            lingerIdle: configuration.lingerIdleTimeout,
            lingerBytes: configuration.lingerBytes
        )
    }
}
