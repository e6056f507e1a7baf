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
        let content: Content
        do {
            content = try await self.read(request, route: route)
        } catch {
            // Not fully received: nothing is evaluated, and there is nothing to note.
            return self.response(to: Reply(error, timestamp: self.state.unixMilliseconds))
        }
        let key = Self.key(head.fields)
        let credentials = Credentials(head.fields)
        let (place, fault) = self.note(request, key: key, credentials: credentials, bodyBytes: content.byteCount)
        let reply = await self.reply(to: route, content, credentials, key: key, fault: fault, epoch: place.epoch)
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

    /// What a request carried.
    private struct Content {
        var upload: EvaluateUpload?
        var boundaryProblem: String?
        var byteCount = 0
    }

    private func read(_ request: HTTPRequest, route: Route) async throws(PlatformError) -> Content {
        var content = Content()
        if case .evaluate = route, let type = request.head.fields[.contentType] {
            do throws(MultipartError) {
                content.upload = EvaluateUpload(boundary: try MultipartParser.boundary(ofContentType: type))
            } catch {
                content.boundaryProblem = error == .notFormData ? nil : error.message
            }
        }
        let plain = PlainBody(keeping: 0)
        let consumer: any HTTPBodyConsumer = content.upload ?? plain
        do {
            try await request.body.read(into: consumer, limit: self.state.configuration.maximumBody)
        } catch {
            switch error as? HTTPRequestBodyError {
            case .tooLarge: throw PlatformError(413, 40_001, "the request is larger than 50 MB")
            case .timedOut: throw PlatformError(408, 40_001, "the request did not arrive in time")
            default: throw .invalid("the request content is broken")
            }
        }
        content.upload?.finish()
        content.byteCount = content.upload?.byteCount ?? plain.byteCount
        return content
    }

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
        _ content: Content,
        _ credentials: Credentials,
        key: String?,
        fault: FoundFault,
        epoch: Int
    ) async -> Reply {
        var slowness = Duration.zero
        var irregularity: Reply.Irregularity?
        switch fault {
        case .none:
            break
        case .unknown(let text):
            let error = PlatformError.invalid("unknown fault \(text.prefix(80))")
            return Reply(error, timestamp: self.state.unixMilliseconds)
        case .fault(.answer(let answer)):
            return Reply(answer, timestamp: self.state.unixMilliseconds)
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
                if let appKey, contents.accounts[appKey] != nil { contents.accounts[appKey] = secret }
            }
        }
        var reply: Reply
        do throws(PlatformError) {
            reply = try await self.process(route, content, credentials, key: key, slowness: slowness, epoch: epoch)
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

    private func process(
        _ route: Route,
        _ content: Content,
        _ credentials: Credentials,
        key: String?,
        slowness: Duration,
        epoch: Int
    ) async throws(PlatformError) -> Reply {
        switch route {
        case .evaluate:
            let route = EvaluateRoute(state: self.state)
            let request = try route.check(
                content.upload,
                boundaryProblem: content.boundaryProblem,
                credentials: credentials,
                epoch: epoch
            )
            return try await route.evaluate(request, key: key, slowness: slowness)
        case .report(let recordID):
            let tenant = try credentials.verify(against: [SignedText()], state: self.state)
            let recipe = self.state.withLock { $0.shelf.record(recordID, tenant: tenant) }
            guard let recipe else { throw .invalid("no such record") }
            let rendered = self.state.rendering(of: recipe)
            var reply = Reply(
                status: 200,
                body: rendered.report(recordID: recordID, timestamp: self.state.unixMilliseconds)
            )
            reply.recordID = recordID
            return reply
        case .wrongMethod(let allow):
            throw PlatformError(405, 40_001, "the method is not allowed here", allow: allow)
        case .notSimulated:
            throw PlatformError(501, 50_010, "this endpoint is not simulated yet")
        case .unregistered:
            throw PlatformError(403, 40_300, "the coreType is not granted to this key")
        case .unknown:
            throw PlatformError(404, 40_400, "no such path")
        }
    }

    private func response(to reply: Reply) -> HTTPResponse {
        var fields = HTTPFields()
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
