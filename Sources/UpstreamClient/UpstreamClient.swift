public import EventLoop
public import HTTPWire
internal import Synchronization
public import Telemetry

/// Makes exchanges with platforms through libcurl, each on the event loop of its caller.
///
/// A request is sent at most once: one with content is never repeated by libcurl, and by the client only when a pooled
/// connection turned out dead before any content left. (An idempotent request without content may be repeated by
/// libcurl in that case.) An answer is returned only when it is complete and valid; a close-delimited one (RFC 9112,
/// section 6.3, rule 8) counts as complete when its connection ended in order.
///
/// ``shutdown()`` must be called before its loops are stopped.
public final class UpstreamClient: HTTPTransport, HTTPContentTransport, WebSocketTransport, Sendable {
    private let multis: [CurlMulti]
    private let webSocketLoops: [WebSocketLoop]
    private let nextSerial = Atomic<UInt64>(1)
    private let nextLoop = Atomic<Int>(0)

    /// Makes a client.
    ///
    /// Sets the process to ignore SIGPIPE: libcurl's TLS layer writes without protection from it.
    ///
    /// - Parameters:
    ///   - configuration: What may be set.
    ///   - loops: The loops to work on, at least one; they must outlive the client.
    ///   - logger: Where failures go that belong to no exchange.
    /// - Throws: ``UpstreamClientError`` when libcurl is not usable or a setting is wrong.
    public init(
        configuration: Configuration = Configuration(),
        loops: [EventLoop],
        logger: Logger
    ) throws(UpstreamClientError) {
        precondition(!loops.isEmpty, "a client needs a loop")
        try CurlLibrary.prepare()
        try configuration.validate()
        let authorityFile =
            configuration.certificateAuthorityFile ?? CurlLibrary.defaultAuthorityFile
        var multis: [CurlMulti] = []
        var webSocketLoops: [WebSocketLoop] = []
        let budget = WebSocketBudget(limit: configuration.webSocketBytes)
        for loop in loops {
            let makeMulti: WebSocketLoop.MakeMulti = { configuration throws(UpstreamClientError) in
                try CurlMulti(loop: loop, configuration: configuration, authorityFile: authorityFile, logger: logger)
            }
            multis.append(try makeMulti(configuration))
            webSocketLoops.append(
                try WebSocketLoop(loop, configuration: configuration, budget: budget, makeMulti: makeMulti)
            )
        }
        self.multis = multis
        self.webSocketLoops = webSocketLoops
    }

    /// Makes one exchange on the caller's loop, or in turn on one of the client's when the caller is on none.
    public func execute(_ request: HTTPTransportRequest) async throws(HTTPTransportError) -> HTTPTransportResponse {
        try await self.makeTransfer(request, flow: nil).run().get()
    }

    /// Makes one exchange in the same place, and returns when the head of its answer is there.
    public func open(_ request: HTTPTransportRequest) async throws(HTTPTransportError) -> HTTPTransportStream {
        let flow = ContentFlow()
        let transfer = try self.makeTransfer(request, flow: flow)
        let content = TransferContent(multi: transfer.multi, serial: transfer.serial, flow: flow)
        let head = try await transfer.run().get()
        let length = head.fields[.contentLength].flatMap { Int($0) }
        return HTTPTransportStream(
            status: head.status,
            fields: head.fields,
            content: HTTPContentStream(length: request.method == .head ? 0 : length, source: content)
        )
    }

    /// Opens a WebSocket on the caller's loop, which must be one of the client's, and where it stays.
    public func open(_ request: WebSocketRequest) async throws(WebSocketOpenError) -> any WebSocketChannel {
        let url: WebSocketURL
        do throws(WebSocketURL.Fault) {
            url = try WebSocketURL(checking: request.url)
        } catch {
            throw .failed(HTTPTransportError(reason: .refused, bytesSent: 0, detail: error.detail))
        }
        guard let shared = self.webSocketLoops.first(where: { $0.loop.isCurrent }) else {
            preconditionFailure("a WebSocket is opened on the loop where it is used")
        }
        return try await WebSocketOpening(request, url, on: shared).run().get()
    }

    private func makeTransfer(
        _ request: HTTPTransportRequest,
        flow: ContentFlow?
    ) throws(HTTPTransportError) -> Transfer {
        let url: RequestURL
        do {
            url = try RequestURL(checking: request.url)
        } catch {
            throw HTTPTransportError(reason: .refused, bytesSent: 0, detail: error.detail)
        }
        let serial = self.nextSerial.wrappingAdd(1, ordering: .relaxed).oldValue
        let multi = self.multis[self.index]
        let transfer = Transfer(serial: serial, multi: multi, request: request, isSecure: url.isSecure, flow: flow)
        guard transfer.reader.isValid else {
            throw HTTPTransportError(reason: .refused, bytesSent: 0, detail: "a segment lies outside of its array")
        }
        return transfer
    }

    /// Gives up all running exchanges and WebSockets, closes all connections and refuses what comes.
    ///
    /// Idempotent.
    public func shutdown() async {
        for multi in self.multis {
            await multi.loop.perform { multi.shutDown() }
        }
        for shared in self.webSocketLoops {
            await shared.loop.perform { shared.shutDown() }
        }
    }

    /// Which loop is the caller's, or whose turn it is.
    private var index: Int {
        if let current = EventLoop.current, let index = self.multis.firstIndex(where: { $0.loop === current }) {
            return index
        }
        let turn = self.nextLoop.wrappingAdd(1, ordering: .relaxed).oldValue
        return Int(UInt(bitPattern: turn) % UInt(self.multis.count))
    }
}
