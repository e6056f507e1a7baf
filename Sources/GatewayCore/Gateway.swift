public import HTTPWire
internal import Locking
internal import Synchronization
public import Telemetry

/// The gateway as a server sees it: it routes, and turns every failure into an answer.
public final class Gateway: HTTPResponder {
    /// What can change while it serves.
    private struct LiveSettings {
        var proxies: [AddressRange]
        var overload: OverloadPolicy
    }

    private let router: Router
    private let refusal: @Sendable (String) -> GatewayError?
    private let clock: GatewayClock
    private let logger: Logger
    private let requests: RequestMetrics
    private let live: Locked<LiveSettings>
    private let running = Atomic(0)
    private let draining = Atomic(false)

    /// Makes a gateway of routes.
    ///
    /// - Parameters:
    ///   - proxies: Whose `Forwarded` and `X-Forwarded-For` are believed.
    ///   - overload: When requests are turned away.
    ///   - refusal: What a path without a route is refused with where that is not 404; else nil.
    public init(
        routes: [Route],
        proxies: [AddressRange] = [],
        overload: OverloadPolicy = OverloadPolicy(),
        refusal: @escaping @Sendable (String) -> GatewayError? = { _ in nil },
        clock: GatewayClock = .system,
        logger: Logger,
        registry: MetricsRegistry
    ) {
        self.router = Router(routes: routes)
        self.live = Locked(LiveSettings(proxies: proxies, overload: overload))
        self.refusal = refusal
        self.clock = clock
        self.logger = logger
        self.requests = RequestMetrics(routes: routes, registry: registry)
    }

    /// Takes over other settings, for requests that come from now on.
    ///
    /// - Parameters:
    ///   - proxies: Whose `Forwarded` and `X-Forwarded-For` are believed.
    ///   - maximumRequests: The most requests at work at a time.
    public func change(proxies: [AddressRange], maximumRequests: Int) {
        self.live.withLock { live in
            live.proxies = proxies
            live.overload.maximumRequests = maximumRequests
        }
    }

    /// How many requests are at work.
    public var runningRequests: Int { self.running.load(ordering: .relaxed) }

    /// From now on begins nothing that costs money; what runs is finished.
    public func beginDraining() {
        self.draining.store(true, ordering: .relaxed)
    }

    /// Answers a request; every failure has an answer, and every answer names its request.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        let running = self.running.wrappingAdd(1, ordering: .relaxed).newValue
        defer { self.running.wrappingSubtract(1, ordering: .relaxed) }
        let live = self.live.withLock { $0 }
        let start = self.clock.now()
        let requestID = RequestID.make(from: request.head)
        let address = ClientAddress.of(request.head, peer: request.peerAddress, trusting: live.proxies)
        let trace = RequestTrace(of: request.head)
        var response: HTTPResponse
        var route: Int?
        var reason: String?
        do throws(GatewayError) {
            if let refusal = live.overload.refusal(of: request.head, running: running) { throw refusal }
            switch self.router.match(request.head.method, path: request.head.path) {
            case .route(let match, let index, let parameter):
                route = index
                let exchange = Exchange(
                    request: request,
                    clientAddress: address.text,
                    requestID: requestID,
                    parameter: parameter,
                    isDraining: self.draining.load(ordering: .relaxed),
                    trace: trace
                )
                response = try await match.handle(exchange)
            case .otherMethods(let allow):
                guard request.head.method == .options else { throw .methodNotAllowed(allow) }
                response = HTTPResponse(status: HTTPStatus(204))
                response.fields.append(.allow, allow)
            case .none:
                response = try self.withoutRoute(request.head)
            }
        } catch {
            self.requests.count(error)
            reason = error.reason
            response = error.response(requestID: requestID, timestamp: self.clock.unixMilliseconds())
        }
        response.fields.append(.xRequestID, requestID)
        let duration = self.clock.now() - start
        self.requests.count(route: route, status: response.status.code, credential: trace.credential)
        self.requests.note(duration, waiting: trace.upstreamWait, route: route)
        self.logger.log(
            .info,
            "request",
            isRoutine: AccessRecord.isRoutine(response, to: request.head.method, trace: trace),
            AccessRecord(
                head: request.head,
                route: self.requests.name(of: route),
                clientAddress: address,
                requestID: requestID,
                response: response,
                reason: reason,
                duration: duration,
                trace: trace
            ).metadata
        )
        return response
    }

    /// The answer to what is no request, in the shape of all our errors.
    public func response(to rejection: HTTPRejection) -> HTTPResponse {
        let requestID = UniqueID.next()
        // 501 and 505 are the request's fault: sending it again does not help.
        let isOverload = rejection.status.code == 503
        let error = GatewayError(
            status: rejection.status.code,
            code: isOverload ? .internalError : .validation,
            origin: .client,
            message: rejection.message,
            retryAfter: isOverload ? 1 : nil
        )
        var response = error.response(requestID: requestID, timestamp: self.clock.unixMilliseconds())
        response.fields.append(.xRequestID, requestID)
        self.requests.count(route: nil, status: rejection.status.code)
        return response
    }

    private func withoutRoute(_ head: HTTPRequestHead) throws(GatewayError) -> HTTPResponse {
        switch head.method {
        case .options where head.path == "*":
            return HTTPResponse(status: HTTPStatus(204))
        case .other:
            throw GatewayError(
                status: 501,
                code: .validation,
                origin: .client,
                message: "The method is not known here; use GET or POST."
            )
        default:
            if let refusal = self.refusal(head.path) { throw refusal }
            throw .notFound("There is nothing at this path; the evaluation route is POST /api/v1/evaluate.")
        }
    }
}
