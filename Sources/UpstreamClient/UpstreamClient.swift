public import EventLoop
public import HTTPWire
internal import Synchronization
public import Telemetry

/// Makes exchanges with platforms, each on the event loop of its caller.
///
/// libcurl opens connections, with names, proxies and TLS; what is sent over them and what it means is decided here,
/// because libcurl sends a request again on its own, whatever it costs, when a reused connection dies before the answer.
///
/// A request is sent at most once: again only when a reused connection turned out dead before any content left, or before an
/// answer to one that has no content and is idempotent. An answer is returned only when it is complete and valid; a
/// close-delimited one (RFC 9112, section 6.3, rule 8) counts as complete when its connection ended in order.
///
/// ``shutdown()`` must be called before its loops are stopped.
public final class UpstreamClient: HTTPTransport, HTTPContentTransport, WebSocketTransport, Sendable {
    private let pools: [ConnectionPool]
    private let webSocketLoops: [WebSocketLoop]
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
        var pools: [ConnectionPool] = []
        var webSocketLoops: [WebSocketLoop] = []
        let budget = WebSocketBudget(limit: configuration.webSocketBytes)
        for loop in loops {
            let share = try CurlShare()
            let makeMulti: CurlMultiSet.MakeMulti = { () throws(UpstreamClientError) in
                try CurlMulti(
                    loop: loop,
                    configuration: configuration,
                    share: share,
                    authorityFile: authorityFile,
                    logger: logger
                )
            }
            pools.append(try ConnectionPool(loop, configuration: configuration, makeMulti: makeMulti))
            webSocketLoops.append(
                try WebSocketLoop(loop, configuration: configuration, budget: budget, makeMulti: makeMulti)
            )
        }
        self.pools = pools
        self.webSocketLoops = webSocketLoops
    }

    /// Makes one exchange on the caller's loop, or in turn on one of the client's when the caller is on none.
    public func execute(_ request: HTTPTransportRequest) async throws(HTTPTransportError) -> HTTPTransportResponse {
        try await Exchange(request, through: self.pool).run().get()
    }

    /// Makes one exchange in the same place, and returns when the head of its answer is there.
    public func open(_ request: HTTPTransportRequest) async throws(HTTPTransportError) -> HTTPTransportStream {
        let flow = ContentFlow()
        let pool = self.pool
        let exchange = try Exchange(request, through: pool, flow: flow)
        let content = ExchangeContent(exchange, flow, on: pool.loop)
        let head = try await exchange.run().get()
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

    /// Gives up all running exchanges and WebSockets, closes all connections and refuses what comes.
    ///
    /// Idempotent.
    public func shutdown() async {
        for pool in self.pools {
            await pool.loop.perform { pool.shutDown() }
        }
        for shared in self.webSocketLoops {
            await shared.loop.perform { shared.shutDown() }
        }
    }

    /// The connections of the caller's loop, or of that whose turn it is.
    private var pool: ConnectionPool {
        if let current = EventLoop.current, let pool = self.pools.first(where: { $0.loop === current }) { return pool }
        let turn = self.nextLoop.wrappingAdd(1, ordering: .relaxed).oldValue
        return self.pools[Int(UInt(bitPattern: turn) % UInt(self.pools.count))]
    }
}
