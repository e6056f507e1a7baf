internal import EventLoop
internal import HTTPWire
internal import Synchronization

/// One exchange from the call to its result: what libcurl's callbacks work on.
///
/// `@unchecked Sendable`: made by the caller, then touched on the loop of its multi handle only; `isCancelled` is
/// atomic.
final class Transfer: @unchecked Sendable {
    typealias Result = Swift.Result<HTTPTransportResponse, HTTPTransportError>

    /// Names the exchange; never used twice.
    let serial: UInt64
    /// Set by whoever cancels, on any thread, in case the exchange has not begun.
    let isCancelled = Atomic<Bool>(false)

    /// Where it runs.
    let multi: CurlMulti
    let request: HTTPTransportRequest
    let isSecure: Bool
    /// Where the content goes as it comes; nil when all of it is gathered first.
    let flow: ContentFlow?
    private(set) var machine: TransferStateMachine
    private(set) var reader: RequestBodyReader
    private var body: [UInt8] = []
    private var isHeadDone = false
    private var continuation: CheckedContinuation<Result, Never>?

    /// Sockets that were opened for the exchange.
    var openedSockets: [Int32] = []
    /// The handle that carries the exchange while it runs.
    var handle: CurlHandle?
    /// When the time of the exchange is up.
    var deadline: ContinuousClock.Instant?

    init(
        serial: UInt64,
        multi: CurlMulti,
        request: HTTPTransportRequest,
        isSecure: Bool,
        flow: ContentFlow? = nil
    ) {
        self.serial = serial
        self.multi = multi
        self.request = request
        self.isSecure = isSecure
        self.flow = flow
        self.reader = RequestBodyReader(request.body)
        let isIdempotent =
            switch request.method {
            case .get, .head, .options, .put, .delete: true
            case .post, .patch, .other: false
            }
        self.machine = TransferStateMachine(
            TransferStateMachine.Request(
                bodyCount: self.reader.count,
                isRepeatable: self.reader.count == 0 && isIdempotent,
                isSecure: isSecure,
                isHead: request.method == .head,
                maximumResponseBody: request.maximumResponseBody,
                maximumResponseHead: multi.configuration.maximumResponseHead,
                timeout: request.timeout
            )
        )
    }

    /// Runs the exchange and returns what it came to.
    func run() async -> Result {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.continuation = continuation
                if self.multi.loop.isCurrent {
                    self.multi.start(self)
                } else {
                    self.multi.loop.execute { self.multi.start(self) }
                }
            }
        } onCancel: {
            // Whoever cancels may stand in one of libcurl's callbacks, so it is done later, and by serial.
            self.isCancelled.store(true, ordering: .releasing)
            self.multi.loop.execute { self.multi.cancel(self.serial) }
        }
    }

    /// The exchange that a callback's pointer stands for; the table of the multi handle keeps it alive.
    static func of(_ pointer: UnsafeMutableRawPointer?) -> Transfer? {
        guard let pointer else { return nil }
        return Unmanaged<Transfer>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// What callbacks get as their pointer.
    var pointer: UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque()
    }

    /// The answer, when the exchange is complete.
    func answer(status: Int, fields: HTTPFields) -> Result {
        .success(HTTPTransportResponse(status: status, fields: fields, body: self.body))
    }

    /// Wakes the caller; once.
    func finish(_ result: Result) {
        self.flow?.finish(result.map { _ in })
        guard let continuation = self.continuation else { return }
        self.continuation = nil
        self.body = []
        continuation.resume(returning: result)
    }

    /// Begins again from the first byte.
    func restart() {
        self.machine.restart()
        self.reader = RequestBodyReader(self.request.body)
        self.body = []
        self.isHeadDone = false
    }

    // MARK: - From libcurl's callbacks

    /// False to stop: libcurl has a connection and would write the request now.
    func start(localPort: Int32, remotePort: Int32) -> Bool {
        let isUsable = self.multi.examineConnection(of: self, localPort: localPort, remotePort: remotePort)
        guard isUsable || self.machine.meetUselessConnection() else { return false }
        return self.machine.start()
    }

    /// The number of bytes written to the memory, or nil to stop.
    func read(into memory: UnsafeMutableRawBufferPointer) -> Int? {
        guard let count = self.reader.read(into: memory) else {
            self.machine.failBodySource()
            return nil
        }
        self.machine.hand(count)
        return count
    }

    /// False to stop.
    func takeHeadLine(_ line: UnsafeRawBufferPointer) -> Bool {
        guard self.machine.takeHeadLine(line) else { return false }
        guard !self.isHeadDone, self.machine.head.isFinished else { return true }
        self.isHeadDone = true
        if self.flow != nil, let continuation = self.continuation {
            self.continuation = nil
            continuation.resume(
                returning: self.answer(status: self.machine.head.status, fields: self.machine.head.fields)
            )
        } else if let count = self.machine.expectedBodyCount {
            self.body.reserveCapacity(count)
        }
        if self.isSecure, self.machine.head.framing == .close {
            self.handle?.reportProgress()
        }
        return true
    }

    /// Called from time to time and, for the last time, when libcurl is content but still has the connection.
    func progress() {
        if self.handle?.hasOrderlyEnd == true { self.machine.endOrderly() }
    }

    /// What becomes of content that arrived.
    enum Reception {
        case taken
        /// libcurl keeps it and offers it again when it is told to go on.
        case held
        case stop
    }

    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Reception {
        if let flow = self.flow {
            guard flow.take(bytes) else { return .held }
        } else {
            self.body.append(contentsOf: bytes)
        }
        guard self.machine.takeBody(bytes.count) else { return .stop }
        if self.isSecure, self.machine.isAnswered {
            // Bytes behind the end would be taken for the next answer on this connection.
            self.handle?.forbidReuseIfUnread()
        }
        return .taken
    }

    /// Whether a connection may be opened to this address: plain HTTP stays on this machine, and what is for the public
    /// Internet goes nowhere else, whatever a name resolves to.
    func permits(loopback isLoopback: Bool, public isPublic: Bool) -> Bool {
        let isInReach = isPublic || !self.request.isForPublicAddressesOnly
        if isInReach, self.isSecure || isLoopback { return true }
        self.machine.refuseAddress()
        return false
    }
}
