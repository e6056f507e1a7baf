internal import HTTPWire
internal import Telemetry

extension RealtimeRound {
    // MARK: Actions

    /// Does what the machine decided.
    ///
    /// - Parameter frame: The frame that it decided about.
    func perform(_ actions: [RealtimeSession.Action], about frame: [UInt8] = []) async {
        for action in actions {
            switch action {
            case .dial:
                self.judge(.none)
                self.serial += 1
                self.connectionCount += 1
                self.dialling = self.start { [serial = self.serial] in await self.connect(serial) }
            case .drop(let code):
                // The contract's reason, section 10.7.
                let isReconnect = code == 1001
                self.drop(
                    WebSocketClose(isReconnect ? .goingAway : .normalClosure, reason: isReconnect ? "reconnect" : "")
                )
            case .sendStart:
                await self.say(self.dialect.parameters(self.parameters, key: self.upstreamKey))
            case .sendAudio:
                self.flushing = self.start { [serial = self.serial] in await self.flush(serial) }
            case .sendEnd:
                self.judgeEnd()
                // The ping leaves first: behind its pong, what the platform says may be an answer to the end.
                self.start { [serial = self.serial] in await self.noteArrival(serial) }
                self.start { [serial = self.serial] in await self.sendEnd(serial) }
            case .ping:
                self.start { [serial = self.serial] in await self.ping(serial) }
            case .forward(let count):
                self.show(frame, droppingWords: count)
            case .reconnecting(let attempt, let delay, let cause):
                self.judge(cause)
                self.log(attempt, delay, cause)
            case .reconnected(let droppedBytes):
                self.services.metrics.reconnects.increment()
                if droppedBytes > 0 { self.logDropped(droppedBytes) }
            case .complete:
                self.judge(.success)
                let frame = self.dialect.result(frame, isReplayed: false)
                let result = RoundOutcome.Result.answered(frame, self.dialect.facts(of: frame))
                self.outcome.resolve(RoundOutcome(result: result, attempts: self.connectionCount, isUnresolved: false))
            case .fail(let failure):
                if let loss = failure.loss { self.judge(loss) }
                await self.fail(failure)
            }
        }
        self.arm()
    }

    private func drop(_ close: WebSocketClose) {
        if let platform = self.platform {
            platform.close(close)
        } else {
            self.dialling?.cancel()
        }
        // Whatever the old one says from now on is not listened to.
        self.serial += 1
        self.platform = nil
        self.releaseSlot()
    }

    /// Gives back the slot of the account, if one is held.
    func releaseSlot() {
        self.account?.slots.release(at: self.now)
        self.account = nil
    }

    private func log(_ attempt: Int, _ delay: Duration, _ cause: RealtimeSession.Loss) {
        self.services.logger.notice(
            "platform connection of a round was lost, trying again",
            [
                "request.id": .string(self.requestID), "attempt": .int(attempt), "delay_ms": .milliseconds(delay),
                "upstream.failure": .string(cause.name),
            ]
        )
    }

    private func logDropped(_ count: Int) {
        self.services.logger.notice(
            "audio of a round was lost between two connections",
            ["request.id": .string(self.requestID), "bytes": .int(count)]
        )
    }

    /// Sends the audio that waits, in order.
    private func flush(_ serial: Int) async {
        while serial == self.serial, let range = self.session.nextAudio() {
            guard let audio = self.buffer.read(range) else {
                return await self.lost(.unexpected("the audio that was kept cannot be read"), serial)
            }
            await self.platform?.send(.binary(audio))
        }
        guard serial == self.serial else { return }
        await self.perform(self.session.noteFlushed(at: self.now))
        if !self.session.keepsAudio { self.forgetAudio() }
    }

    // MARK: Connections

    /// Makes a connection and listens to it until it ends.
    private func connect(_ serial: Int) async {
        // The account whose signature was made once more.
        var corrected: Account?
        while serial == self.serial {
            let account: Account
            do {
                account = try self.takeSlot()
                try self.admit(account, isFirst: self.connectionCount == 1 && corrected !== account)
            } catch {
                self.accountRefusal = error
                return await self.lost(.noAccount(error, isFinal: !self.hasBeenConnected), serial)
            }
            let timestamp = account.platformTime(self.services.clock) / 1000
            let url = self.dialect.handshake(account: account, timestamp: timestamp, nonce: UniqueID.next())
            self.services.upstream.metrics.attempts.increment()
            let channel: any WebSocketChannel
            do throws(WebSocketOpenError) {
                channel = try await self.services.transport.open(self.request(url))
            } catch {
                guard serial == self.serial else { return }
                guard case .refused(let response) = error else {
                    return await self.lost(RealtimeSession.Loss(error), serial)
                }
                let refusal = self.dialect.refusal(of: response)
                let loss = RealtimeSession.Loss.refused(refusal, isFinal: refusal.isFinal)
                self.judge(loss)
                if refusal.code?.kind == .credentialsOrClock, corrected !== account {
                    corrected = account
                    account.learnClock(from: response, services: self.services.upstream)
                    continue
                }
                guard self.mayTryAgain(after: refusal, account) else { return await self.lost(loss, serial) }
                self.releaseSlot()
                continue
            }
            guard serial == self.serial else { return channel.close(WebSocketClose(.normalClosure)) }
            self.hasBeenConnected = true
            self.platform = channel
            return await self.listen(to: channel, serial)
        }
    }

    private func request(_ url: String) -> WebSocketRequest {
        var request = WebSocketRequest(url: url, timeout: self.services.configuration.round.connectTimeout)
        // A result is as large as any answer. Pings are the machine's business.
        request.configuration.limits.frameBytes = self.services.upstream.maximumAnswer
        request.configuration.limits.messageBytes = self.services.upstream.maximumAnswer
        request.configuration.pingInterval = nil
        if let trace = self.trace {
            request.fields.append(.traceparent, trace.field(parent: .random(in: 1 ... .max)))
        }
        return request
    }

    private func listen(to channel: any WebSocketChannel, _ serial: Int) async {
        while serial == self.serial, let message = await channel.receive() {
            guard serial == self.serial else { return }
            if message.kind == .text { await self.take(message.bytes) }
        }
        guard serial == self.serial else { return }
        await self.lost(RealtimeSession.Loss(await channel.untilEnd()), serial)
    }

    private func noteArrival(_ serial: Int) async {
        guard let platform = self.platform, serial == self.serial,
            await platform.ping(within: self.services.configuration.round.pongTimeout), serial == self.serial
        else { return }
        self.session.noteEndArrived()
    }

    private func sendEnd(_ serial: Int) async {
        guard serial == self.serial else { return }
        await self.say(self.dialect.end)
    }

    private func say(_ frame: [UInt8]) async {
        await self.platform?.send(WebSocketMessage(kind: .text, bytes: frame))
    }

    private func ping(_ serial: Int) async {
        guard let platform = self.platform,
            await platform.ping(within: self.services.configuration.round.pongTimeout), serial == self.serial
        else { return }
        self.session.notePong()
        self.arm()
    }

    private func take(_ frame: [UInt8]) async {
        let message = self.dialect.read(platformFrame: frame)
        if case .refusal(let refusal) = message, let fault = refusal.code?.accountFault,
            await self.change(after: fault)
        {
            return
        }
        let actions = self.session.receive(message, at: self.now, random: self.services.clock.random())
        switch message {
        case .progress where actions.isEmpty: self.services.metrics.suppressedProgress.increment()
        case .started:
            self.judge(.success)
            self.noteAcceptance(ofAll: false)
        case .result: self.noteAcceptance(ofAll: true)
        default: break
        }
        await self.perform(actions, about: frame)
    }

    func lost(_ loss: RealtimeSession.Loss, _ serial: Int) async {
        guard serial == self.serial else { return }
        await self.perform(self.session.lose(loss, at: self.now, random: self.services.clock.random()))
        if !self.session.keepsAudio { self.forgetAudio() }
    }
}

extension RealtimeSession.Loss {
    /// Why there is no connection.
    fileprivate init(_ error: WebSocketOpenError) {
        guard case .failed(let error) = error else {
            self = .transport("refused")
            return
        }
        self = error.reason == .tls ? .tls(error.detail) : .transport(error.reason.rawValue)
    }

    /// What the end of a connection means.
    fileprivate init(_ end: WebSocketEnd) {
        self =
            switch end {
            case .closedByPeer(let close): .closed(code: close.code?.rawValue, reason: close.reason)
            case .closed: .transport("closed")
            case .violated(let error): .transport(error.rawValue)
            case .lost(.silent): .pongMissing
            case .lost(let loss): .transport(loss.rawValue)
            }
    }
}
