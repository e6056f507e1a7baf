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
        let route = Route(head)
        let content: RequestContent
        do {
            content = try await RequestContent(of: request, for: route, limit: self.state.configuration.maximumBody)
        } catch {
            // Not fully received: nothing is evaluated, and there is nothing to note.
            return self.response(to: Reply(error, timestamp: self.state.unixMilliseconds))
        }
        let key = Self.key(head.fields)
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
        self.state.withLock { contents in
            guard contents.epoch == place.epoch else { return }
            contents.ledger.update(place.index) { entry in
                entry.status = reply.irregularity == .drop || reply.irregularity == .garbage ? nil : reply.status
                entry.code = reply.code
                entry.isReplayed = reply.isReplayed
                entry.recordID = reply.recordID
            }
        }
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

    /// The key of a request.
    ///
    /// One that breaks the rules counts as none (contract yugu, section 7.1).
    private static func key(_ fields: HTTPFields) -> String? {
        let key = fields[.idempotencyKey] ?? fields[.xIdempotencyKey]
        return key.flatMap { key in
            (1...200).contains(key.utf8.count) && key.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? key : nil
        }
    }

    private struct Place: Sendable {
        var epoch: Int
        var index: Int
    }

    /// What a request meets: the header's fault, else the query's, else the queue's.
    private enum FoundFault: Sendable {
        case none
        case fault(Fault)
        case unknown(String)
    }

    private static let faultField = HTTPField.Name(literal: "X-Sim-Fault")

    private func note(
        _ request: HTTPRequest,
        key: String?,
        credentials: Credentials,
        bodyBytes: Int
    ) -> (Place, FoundFault) {
        let head = request.head
        let time = self.state.unixMilliseconds
        let own = head.fields[Self.faultField] ?? PercentCoding.parameter("simFault", of: head.query)
        return self.state.withLock { contents in
            let queued = own == nil ? contents.faults.take(for: head.path) : nil
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
        var slowness = Duration.zero
        var audioURLForm: AudioURLForm?
        var irregularity: Reply.Irregularity?
        switch fault {
        case .none:
            break
        case .unknown(let text):
            let error = PlatformError.invalid("unknown fault \(text.prefix(80))")
            return Reply(error, timestamp: self.state.unixMilliseconds)
        case .fault(.answer(let answer)):
            return Reply(answer, timestamp: self.state.unixMilliseconds)
        case .fault(.serve(let file)):
            var reply = Reply(status: file.status, body: file.body)
            reply.contentType = file.contentType
            return reply
        case .fault(.drop):
            return Self.nothing(.drop)
        case .fault(.garbage):
            return Self.nothing(.garbage)
        case .fault(.hang):
            await self.state.pauses.untilCancelled(atMost: .seconds(3_600))
            return Self.nothing(.drop)
        case .fault(.delay(let pause)):
            await self.state.pauses.sleep(for: pause)
        case .fault(.slow(let pause)):
            slowness = pause
        case .fault(.billDrop):
            irregularity = .drop
        case .fault(.length(let offset)):
            irregularity = .length(offset)
        case .fault(.trickle(let pause)):
            irregularity = .trickle(pause)
        case .fault(.clock(let offset)):
            self.state.setClockOffset(offset)
        case .fault(.rotateSecret(let secret)):
            let appKey = credentials.appKey
            self.state.withLock { contents in
                if let appKey { contents.accounts[appKey]?.secretKey = secret }
            }
        case .fault(.audioURL(let form)):
            audioURLForm = form
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
                    form: audioURLForm,
                    epoch: epoch
                )
            default:
                reply = try self.freeReply(to: route, fields, credentials)
                reply.irregularity = irregularity
                return reply
            }
            let call = PaidCall(state: self.state, request: paid, key: key, slowness: slowness)
            reply = try await call.reply()
        } catch {
            reply = Reply(error, timestamp: self.state.unixMilliseconds)
        }
        reply.irregularity = irregularity
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

    private func response(to reply: Reply) -> HTTPResponse {
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
