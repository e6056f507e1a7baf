internal import Cryptography
internal import EventLoop
internal import HTTPWire
internal import Synchronization

/// One WebSocket connection from the call to the answer of the handshake.
///
/// `@unchecked Sendable`: confined to its loop, where it is made; `isCancelled` is atomic.
final class WebSocketOpening: CurlDialOwner, @unchecked Sendable {
    typealias Result = Swift.Result<UpstreamWebSocket, WebSocketOpenError>

    // How much of a refusal is kept: the platforms' error bodies are small.
    private static let maximumBody = 64 << 10

    /// Set by whoever cancels, on any thread, in case it has not begun.
    private let isCancelled = Atomic<Bool>(false)
    private let shared: WebSocketLoop
    private let url: WebSocketURL
    private let request: WebSocketRequest
    private let key: String
    private let handshake: WebSocketClientHandshake
    private var reader: HandshakeAnswerReader
    private var dial: CurlDial?
    private var unsent: [UInt8] = []
    private var timer: TimerToken?
    private var continuation: CheckedContinuation<Result, Never>?

    init(_ request: WebSocketRequest, _ url: WebSocketURL, on shared: WebSocketLoop) {
        self.request = request
        self.url = url
        self.shared = shared
        self.key = Base64.encode(SecureRandom.bytes(count: 16))
        self.handshake = WebSocketClientHandshake(
            authority: url.authority,
            target: url.target,
            key: self.key,
            fields: Self.callersFields(of: request)
        )
        self.reader = HandshakeAnswerReader(
            maximumHead: shared.configuration.maximumResponseHead,
            maximumBody: Self.maximumBody
        )
    }

    /// The fields without those that are the transport's business.
    private static func callersFields(of request: WebSocketRequest) -> HTTPFields {
        var fields = request.fields
        let managed: [HTTPField.Name] = [
            .host, .upgrade, .connection, .secWebSocketKey, .secWebSocketVersion, .secWebSocketProtocol,
            .secWebSocketExtensions, .contentLength, .transferEncoding,
        ]
        for name in managed { fields.remove(name) }
        return fields
    }

    private var loop: EventLoop { self.shared.loop }

    /// Opens the connection and returns what came of it.
    func run() async -> Result {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.continuation = continuation
                self.start()
            }
        } onCancel: {
            self.isCancelled.store(true, ordering: .releasing)
            self.loop.execute { self.fail(.cancelled, "cancelled by the caller") }
        }
    }

    private func start() {
        guard !self.isCancelled.load(ordering: .acquiring) else {
            return self.fail(.cancelled, "cancelled before it began")
        }
        guard self.shared.connectionCount < self.shared.configuration.maximumWebSockets else {
            return self.fail(.refused, "too many WebSocket connections at one time")
        }
        guard self.request.timeout > .zero else { return self.fail(.timeout, "no time was left to begin") }
        guard let multi = self.shared.multiWithRoom() else {
            return self.fail(.refused, "no memory for a further connection")
        }
        self.timer = self.loop.schedule(at: self.loop.now + self.request.timeout) {
            self.timer = nil
            // A refusal whose content does not come to an end is one all the same.
            if !self.refuse() { self.fail(.timeout, "the handshake took too long") }
        }
        self.dial = CurlDial(
            self.url.transportURL,
            isSecure: self.url.isSecure,
            timeout: self.request.timeout,
            receiveBuffer: UpstreamWebSocketConnection.receiveBuffer,
            on: multi,
            owner: self
        )
    }

    // MARK: - Events

    func dialEnded(_ failure: HTTPTransportError?) {
        if let failure { return self.finish(.failure(.failed(failure))) }
        self.handshake.encode(into: &self.unsent)
        self.flush()
    }

    func dialIsReady(_ events: EpollEvents) {
        if events.contains(.writable) { self.flush() }
        if !events.isDisjoint(with: [.readable, .hangup, .error, .peerClosed]) { self.read() }
    }

    private func flush() {
        guard let dial = self.dial, !self.unsent.isEmpty else { return }
        // When it cannot be sent, the answer, or the lack of one, says why.
        let count = self.unsent.withUnsafeBytes { dial.send($0) } ?? self.unsent.count
        self.unsent.removeFirst(count)
        dial.watch(self.unsent.isEmpty ? [.readable] : [.readable, .writable])
    }

    private func read() {
        let scratch = self.loop.scratch.bytes
        while let dial = self.dial {
            switch dial.receive(into: scratch) {
            case .bytes(let count): self.take(UnsafeMutableRawBufferPointer(rebasing: scratch[..<count]), from: dial)
            case .nothing: return
            case .end, .failure:
                if !self.refuse() { self.fail(.reset, "the connection ended before an answer to the handshake") }
            }
        }
    }

    private func take(_ bytes: UnsafeMutableRawBufferPointer, from dial: CurlDial) {
        do throws(AnswerReader.Fault) {
            switch try self.reader.take(UnsafeRawBufferPointer(bytes)) {
            case .partial: break
            case .refused: self.refuse()
            case .switched(let consumed):
                self.open(dial, with: UnsafeMutableRawBufferPointer(rebasing: bytes[consumed...]))
            }
        } catch {
            switch error {
            case .malformed(let what), .tooLarge(let what): self.fail(.malformed, what)
            }
        }
    }

    private func open(_ dial: CurlDial, with rest: UnsafeMutableRawBufferPointer) {
        guard let head = self.reader.head else { return }
        do throws(WebSocketClientHandshake.Failure) {
            let accept = WebSocketAccept.value(forKey: self.key)
            _ = try self.handshake.subprotocol(agreedIn: head.status, head.fields, accept: accept)
        } catch {
            return self.fail(.malformed, "the answer to the handshake does not fit: \(error)")
        }
        self.dial = nil
        let connection = UpstreamWebSocketConnection(dial, self.request.configuration, on: self.shared)
        connection.begin(with: rest)
        self.finish(.success(UpstreamWebSocket(connection)))
    }

    // MARK: - The end

    /// Ends with the answer of a server that does not want to, if there is one.
    @discardableResult
    private func refuse() -> Bool {
        guard let head = self.reader.head else { return false }
        let response = HTTPTransportResponse(status: head.status, fields: head.fields, body: self.reader.body)
        self.finish(.failure(.refused(response)))
        return true
    }

    private func fail(_ reason: HTTPTransportError.Reason, _ detail: String) {
        self.finish(.failure(.failed(HTTPTransportError(reason: reason, bytesSent: 0, detail: detail))))
    }

    private func finish(_ result: Result) {
        if let timer = self.timer { self.loop.cancel(timer) }
        self.timer = nil
        self.dial?.hangUp()
        self.dial = nil
        guard let continuation = self.continuation else { return }
        self.continuation = nil
        continuation.resume(returning: result)
    }
}
