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
        isSecure: Bool
    ) {
        self.serial = serial
        self.multi = multi
        self.request = request
        self.isSecure = isSecure
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
        if let count = self.machine.expectedBodyCount {
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

    /// False to stop.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard self.machine.takeBody(bytes.count) else { return false }
        self.body.append(contentsOf: bytes)
        if self.isSecure, self.machine.isAnswered {
            // Bytes behind the end would be taken for the next answer on this connection.
            self.handle?.forbidReuseIfUnread()
        }
        return true
    }

    /// Whether a connection may be opened to this address: plain HTTP stays on this machine, whatever a name resolves
    /// to.
    func permits(loopback isLoopback: Bool) -> Bool {
        if self.isSecure || isLoopback { return true }
        self.machine.refuseAddress()
        return false
    }
}
