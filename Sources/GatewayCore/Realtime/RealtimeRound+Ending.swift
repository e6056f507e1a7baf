internal import HTTPWire
internal import Telemetry

extension RealtimeRound {
    func countCall() throws(GatewayError) {
        guard !self.isCounted else { return }
        try self.services.upstream.limiter.beginCall(client: self.scope.client, user: self.scope.user)
        self.isCounted = true
    }

    /// There will be no result by way of the platform.
    func fail(_ failure: RealtimeSession.Failure) async {
        if [.bufferOverflow, .noRoom].contains(failure.reason) { self.services.metrics.overflows.increment() }
        if failure.reason == .loss, case .closed(let code?, let reason)? = failure.loss {
            self.closing = WebSocketCloseCode(rawValue: code).map { WebSocketClose($0, reason: reason) }
        }
        let outcome = self.outcome(of: failure)
        guard self.phase == .open else {
            self.outcome.resolve(outcome)
            return
        }
        self.phase = .ending
        guard case .refused(let result) = outcome.result else { return }
        await self.finish(result)
    }

    /// Tells the client how the round has ended.
    func finish(_ result: FlightResult, warnings: [RealtimeWarning]? = nil) async {
        guard self.phase == .ending else { return }
        self.phase = .telling
        // Whatever the platform has to say of progress, it comes too late; what it has said goes before the result.
        await self.perform(self.session.cancel())
        self.releaseSlot()
        await self.showing?.value
        let frame: [UInt8]
        let ending: RealtimeMetrics.Ending
        switch result {
        case .passed(let response) where response.status.code < 400:
            let isReplayed = response.fields[.idempotencyReplayed] != nil
            if let warnings, !isReplayed { await self.tell(self.dialect.warning(warnings)) }
            frame = self.dialect.result(response.body, isReplayed: isReplayed)
            ending = isReplayed ? .replayed : .result
        case .passed(let response):
            frame = response.body
            ending = .failed
        case .failed(let error), .refused(let error):
            frame = self.dialect.refusal(
                error,
                requestID: self.requestID,
                at: self.services.clock.unixMilliseconds()
            )
            ending = .failed
        case .answered:
            preconditionFailure("an answer comes as a response")
        }
        self.services.metrics.count(ending)
        // From here on a close of the session goes behind the frame.
        self.phase = .over
        await self.tell(frame)
        await self.close(ending)
    }

    /// Sends a frame to the client, be it there or not.
    func tell(_ frame: [UInt8]) async {
        await self.client.send(WebSocketMessage(kind: .text, bytes: frame))
    }

    func close(_ ending: RealtimeMetrics.Ending) async {
        await self.perform(self.session.cancel())
        // Between two connections the machine knows of none that holds it.
        self.releaseSlot()
        self.session.close()
        self.judge(.none)
        self.waitingProgress = nil
        self.timer?.task.cancel()
        self.timer = nil
        self.buffer.removeAll()
        if self.isCounted { self.services.upstream.limiter.endCall(client: self.scope.client, user: self.scope.user) }
        self.isCounted = false
        var metadata: LogMetadata = [
            "request.id": .string(self.requestID), "client.id": .string(self.scope.client),
            "realtime.ending": .string(ending.rawValue), "realtime.connections": .int(self.connectionCount),
            "audio_ms": .int(self.audioMilliseconds), "duration_ms": .milliseconds(self.now - self.began),
        ]
        if let trace = self.trace { metadata["trace.id"] = .string(trace.traceID) }
        self.services.logger.info("realtime round", metadata)
        self.over.resolve(self.closing)
    }
}
