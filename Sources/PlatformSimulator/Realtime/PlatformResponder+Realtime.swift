import HTTPServer
import HTTPWire

extension PlatformSession.Dialect {
    /// The language of a path, if a request asks for a session there (contract yugu, section 2).
    ///
    /// Under the compat names there is a whole-file evaluation as well, told apart by the upgrade.
    init?(_ head: HTTPRequestHead) {
        if head.path == "/api/v1/ws/evaluate" {
            self = .native
        } else if WebSocketServerHandshake.isRequested(by: head),
            let name = CompatName(rawValue: String(head.path.dropFirst()))
        {
            self = .compat(name)
        } else {
            return nil
        }
    }
}

extension PlatformResponder {
    /// Opens a realtime session, or says why not (contract yugu, section 3.5).
    func open(_ request: HTTPRequest, _ dialect: PlatformSession.Dialect) async -> HTTPResponse {
        let query = HandshakeQuery(request.head.query)
        let key = IdempotencyTable.key(query["idempotencyKey"])
        let credentials = Credentials(query)
        let (place, fault) = self.note(request, key: key, credentials: credentials, bodyBytes: 0, isSession: true)
        let disturbance: Disturbance
        switch await self.meet(fault, credentials) {
        case .failure(let answer): return self.refuse(answer.reply, at: place)
        case .success(let found): disturbance = found
        }
        do throws(PlatformError) {
            guard disturbance.session != .refuse else { throw PlatformError(503, 50_000, "injected fault") }
            let handshake = try Self.handshake(request.head)
            let caller = try credentials.verify(against: [query.signedText], state: self.state)
            let opening = PlatformSession.Opening(
                dialect: dialect,
                caller: caller,
                key: key,
                epoch: place.epoch,
                fault: disturbance.session
            )
            var response = HTTPResponse(status: HTTPStatus(101))
            response.upgrade = WebSocketUpgrade(
                handshake,
                configuration: Self.configuration(for: disturbance.session),
                handler: RealtimeHandler(
                    state: self.state,
                    opening: opening,
                    slowness: disturbance.slowness,
                    place: place
                )
            )
            return response
        } catch {
            return self.refuse(Reply(error, timestamp: self.state.unixMilliseconds), at: place)
        }
    }

    private func refuse(_ reply: Reply, at place: Place) -> HTTPResponse {
        self.note(reply, at: place)
        return self.response(to: reply)
    }

    private static func handshake(_ head: HTTPRequestHead) throws(PlatformError) -> WebSocketServerHandshake {
        do throws(WebSocketHandshakeError) {
            return try WebSocketServerHandshake(head)
        } catch {
            throw PlatformError(error.status.code, 40_001, error.message)
        }
    }

    /// How the connection behaves: it is the client that pings (contract yugu, section 10.5).
    private static func configuration(for fault: SessionFault?) -> WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.pingInterval = nil
        if case .at(_, .silent)? = fault { configuration.answersPings = false }
        return configuration
    }
}
