import EventLoop
import HTTPServer
import HTTPWire
import Synchronization

/// Answers as the platform does, and goes wrong where it is told to.
final class PlatformResponder: IrregularResponder {
    let state: PlatformState
    private let offset = Atomic<Int>(0)

    init(state: PlatformState) {
        self.state = state
        state.onClockChange { [weak self] in self?.offset.store($0, ordering: .relaxed) }
    }

    var clockOffset: Int { self.offset.load(ordering: .relaxed) }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let head = request.head
        if head.path.hasPrefix("/__sim/") || head.path == "/healthz" {
            return await self.response(to: self.control(request))
        }
        if let dialect = PlatformSession.Dialect(head) { return await self.open(request, dialect) }
        let route = Route(head)
        let content: RequestContent
        do {
            content = try await RequestContent(of: request, for: route, limit: self.state.configuration.maximumBody)
        } catch {
            // Not fully received: nothing is evaluated, and there is nothing to note.
            return self.response(to: Reply(error, timestamp: self.state.unixMilliseconds))
        }
        let key = IdempotencyTable.key(head.fields[.idempotencyKey] ?? head.fields[.xIdempotencyKey])
        let credentials = Credentials(head.fields)
        let (place, fault) = self.note(request, key: key, credentials: credentials, bodyBytes: content.byteCount)
        let reply = await self.reply(
            to: route,
            content,
            head.fields,
            credentials,
            key: key,
            fault: fault,
            epoch: place.epoch
        )
        self.note(reply, at: place)
        return self.response(to: reply)
    }

    func response(to rejection: HTTPRejection) -> HTTPResponse {
        let error = PlatformError(
            rejection.status.code,
            rejection.status.code == 503 ? 50_000 : 40_001,
            rejection.message
        )
        return self.response(to: Reply(error, timestamp: self.state.unixMilliseconds))
    }

    // MARK: Receiving

    /// Where the log has a request.
    struct Place: Sendable {
        var epoch: Int
        var index: Int
    }

    /// What a request meets: the header's fault, else the query's, else the queue's.
    enum FoundFault: Sendable {
        case none
        case fault(Fault)
        case unknown(String)
    }

    private static let traceField = HTTPField.Name(literal: "traceparent")
    private static let faultField = HTTPField.Name(literal: "X-Sim-Fault")

    /// Writes a request into the log, and finds its fault.
    func note(
        _ request: HTTPRequest,
        key: String?,
        credentials: Credentials,
        bodyBytes: Int,
        isSession: Bool = false
    ) -> (Place, FoundFault) {
        let head = request.head
        let time = self.state.unixMilliseconds
        let own = head.fields[Self.faultField] ?? PercentCoding.parameter("simFault", of: head.query)
        return self.state.withLock { contents in
            let queued = own == nil ? contents.faults.take(for: head.path, isSession: isSession) : nil
            let index = contents.ledger.note(
                { order, attempt in
                    SimulatedRequest(
                        order: order,
                        time: time,
                        method: head.method.token,
                        path: head.path,
                        key: key,
                        attempt: attempt,
                        appKey: credentials.appKey,
                        timestamp: credentials.timestamp,
                        nonce: credentials.nonce,
                        traceparent: head.fields[Self.traceField],
                        bodyBytes: bodyBytes,
                        fault: own ?? queued?.text
                    )
                },
                key: key
            )
            let place = Place(epoch: contents.epoch, index: index)
            if let queued { return (place, .fault(queued.fault)) }
            guard let own else { return (place, .none) }
            return (place, Fault(own).map { .fault($0) } ?? .unknown(own))
        }
    }

    /// Completes the log's entry of a request.
    func note(_ reply: Reply, at place: Place) {
        self.state.withLock { contents in
            guard contents.epoch == place.epoch else { return }
            contents.ledger.update(place.index) { entry in
                entry.status = reply.irregularity == .drop || reply.irregularity == .garbage ? nil : reply.status
                entry.code = reply.code
                entry.isReplayed = reply.isReplayed
                entry.recordID = reply.recordID
            }
        }
    }

    // MARK: Faults

    /// How a fault changes what is done.
    struct Disturbance: Sendable {
        /// How much longer an evaluation takes.
        var slowness = Duration.zero
        var audioURLForm: AudioURLForm?
        var irregularity: Reply.Irregularity?
        var session: SessionFault?
    }

    /// Does what a fault does at once.
    ///
    /// - Returns: How it changes the rest, or what is answered in place of everything else.
    func meet(_ fault: FoundFault, _ credentials: Credentials) async -> Result<Disturbance, FaultReply> {
        var disturbance = Disturbance()
        switch fault {
        case .none:
            break
        case .unknown(let text):
            let error = PlatformError.invalid("unknown fault \(text.prefix(80))")
            return .failure(FaultReply(Reply(error, timestamp: self.state.unixMilliseconds)))
        case .fault(.answer(let answer)):
            return .failure(FaultReply(Reply(answer, timestamp: self.state.unixMilliseconds)))
        case .fault(.serve(let file)):
            var reply = Reply(status: file.status, body: file.body)
            reply.contentType = file.contentType
            return .failure(FaultReply(reply))
        case .fault(.drop):
            return .failure(FaultReply(Self.nothing(.drop)))
        case .fault(.garbage):
            return .failure(FaultReply(Self.nothing(.garbage)))
        case .fault(.hang):
            await self.state.pauses.untilCancelled(atMost: .seconds(3_600))
            return .failure(FaultReply(Self.nothing(.drop)))
        case .fault(.delay(let pause)):
            await self.state.pauses.sleep(for: pause)
        case .fault(.slow(let pause)):
            disturbance.slowness = pause
        case .fault(.billDrop):
            disturbance.irregularity = .drop
            disturbance.session = .at(.billed, .kill)
        case .fault(.length(let offset)):
            disturbance.irregularity = .length(offset)
        case .fault(.trickle(let pause)):
            disturbance.irregularity = .trickle(pause)
        case .fault(.clock(let offset)):
            self.state.setClockOffset(offset)
        case .fault(.rotateSecret(let secret)):
            let appKey = credentials.appKey
            self.state.withLock { contents in
                if let appKey { contents.accounts[appKey]?.secretKey = secret }
            }
        case .fault(.session(let fault)):
            disturbance.session = fault
        case .fault(.audioURL(let form)):
            disturbance.audioURLForm = form
        }
        return .success(disturbance)
    }

    /// An answer that a fault asks for in place of everything else.
    struct FaultReply: Error {
        let reply: Reply

        init(_ reply: Reply) {
            self.reply = reply
        }
    }

    // MARK: Answering

    private func reply(
        to route: Route,
        _ content: RequestContent,
        _ fields: HTTPFields,
        _ credentials: Credentials,
        key: String?,
        fault: FoundFault,
        epoch: Int
    ) async -> Reply {
        let disturbance: Disturbance
        switch await self.meet(fault, credentials) {
        case .failure(let answer): return answer.reply
        case .success(let found): disturbance = found
        }
        var reply: Reply
        do throws(PlatformError) {
            let paid: PaidRequest
            switch route {
            case .evaluate:
                paid = try EvaluateRoute(state: self.state).check(content, credentials: credentials, epoch: epoch)
            case .compat(let name):
                paid = try CompatRoute(state: self.state).check(name, content, credentials: credentials, epoch: epoch)
            case .speech:
                paid = try SpeechRoute(state: self.state).check(
                    content,
                    credentials: credentials,
                    form: disturbance.audioURLForm,
                    epoch: epoch
                )
            default:
                reply = try self.freeReply(to: route, fields, credentials)
                reply.irregularity = disturbance.irregularity
                return reply
            }
            let call = PaidCall(state: self.state, request: paid, key: key, slowness: disturbance.slowness)
            reply = try await call.reply()
        } catch {
            reply = Reply(error, timestamp: self.state.unixMilliseconds)
        }
        reply.irregularity = disturbance.irregularity
        return reply
    }

    private static func nothing(_ irregularity: Reply.Irregularity) -> Reply {
        var reply = Reply(status: 200, body: [])
        reply.irregularity = irregularity
        return reply
    }

    private func freeReply(
        to route: Route,
        _ fields: HTTPFields,
        _ credentials: Credentials
    ) throws(PlatformError) -> Reply {
        switch route {
        case .report(let recordID):
            return try ReportRoute(state: self.state).reply(recordID, credentials: credentials)
        case .audio(let fileName):
            return try AudioRoute(state: self.state).reply(fileName, fields)
        case .wrongMethod(let allow):
            throw PlatformError(405, 40_001, "the method is not allowed here", allow: allow)
        case .unregistered:
            throw PlatformError(403, 40_300, "the coreType is not granted to this key")
        case .evaluate, .compat, .speech, .unknown:
            throw PlatformError(404, 40_400, "no such path")
        }
    }

    func response(to reply: Reply) -> HTTPResponse {
        var fields = reply.fields
        fields.append(.contentType, reply.contentType)
        fields.append(.xTraceID, self.state.makeTraceID())
        if reply.isReplayed { fields.append(.idempotencyReplayed, "true") }
        if let retryAfter = reply.retryAfter { fields.append(.retryAfter, retryAfter) }
        if let allow = reply.allow { fields.append(.allow, allow) }
        if let irregularity = reply.irregularity { fields.append(Self.irregularityField, irregularity.text) }
        return HTTPResponse(status: HTTPStatus(reply.status), fields: fields, body: reply.body)
    }

    // MARK: Irregular answers

    /// Carries the irregularity from the route to the connection; never sent.
    private static let irregularityField = HTTPField.Name(literal: "X-Sim-Irregularity")

    func irregularity(of response: inout HTTPResponse) -> IrregularAnswer? {
        guard let text = response.fields[Self.irregularityField] else { return nil }
        response.fields.remove(Self.irregularityField)
        return Reply.Irregularity(text: text)?.answer
    }
}
