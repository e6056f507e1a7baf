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
                self.serial += 1
                self.dialling = Task { [serial = self.serial] in await self.connect(serial) }
            case .drop(let code):
                self.drop(code)
            case .sendStart:
                await self.platform?.send(text: self.dialect.parameters(self.parameters, key: self.upstreamKey))
            case .sendAudio:
                self.flushing = Task { [serial = self.serial] in await self.flush(serial) }
            case .sendEnd:
                await self.platform?.send(text: self.dialect.end)
            case .ping:
                self.platform?.ping()
            case .forward(let count):
                await self.client.send(text: self.dialect.progress(frame, droppingWords: count))
            case .reconnecting(let attempt, let delay, let cause):
                self.log(attempt, delay, cause)
            case .reconnected:
                self.services.metrics.reconnects.increment()
            case .complete:
                let frame = self.dialect.result(frame, isReplayed: false)
                let result = RoundOutcome.Result.answered(frame, self.dialect.facts(of: frame))
                self.outcome.resolve(RoundOutcome(result: result, attempts: self.serial, isUnresolved: false))
            case .fail(let failure):
                await self.fail(failure)
            }
        }
        self.arm()
    }

    private func drop(_ code: UInt16) {
        if let platform = self.platform {
            platform.close(code: code, reason: code == 1001 ? "reconnect" : "")
        } else {
            self.dialling?.cancel()
        }
        // Whatever the old one says from now on is not listened to.
        self.serial += 1
        self.platform = nil
        self.releaseSlot()
    }

    private func releaseSlot() {
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

    /// Sends the audio that waits, in order.
    private func flush(_ serial: Int) async {
        while serial == self.serial, let range = self.session.nextAudio() {
            guard let audio = self.buffer.read(range) else {
                return await self.lost(.unexpected("the audio that was kept cannot be read"), serial)
            }
            await self.platform?.send(binary: audio)
        }
        guard serial == self.serial else { return }
        await self.perform(self.session.noteFlushed(at: self.now))
        if !self.session.keepsAudio { self.forgetAudio() }
    }

    // MARK: Connections

    /// Makes a connection and listens to it until it ends.
    private func connect(_ serial: Int) async {
        while serial == self.serial {
            let account: Account
            do {
                account = try self.takeSlot()
            } catch {
                return await self.lost(.noAccount(error, isFinal: !self.hasBeenConnected), serial)
            }
            let timestamp = account.platformTime(self.services.clock) / 1000
            let url = self.dialect.handshake(account: account, timestamp: timestamp, nonce: UniqueID.next())
            self.services.upstream.metrics.attempts.increment()
            let result = await self.services.dial(url)
            guard serial == self.serial else {
                if case .open(let line) = result { line.close(code: 1000, reason: "") }
                return
            }
            switch result {
            case .open(let line):
                self.hasBeenConnected = true
                self.platform = line
                return await self.listen(to: line, serial)
            case .failed(let loss):
                return await self.lost(loss, serial)
            case .refused(let response):
                let refusal = self.dialect.refusal(of: response)
                guard self.mayTryAgain(after: refusal, response, account) else {
                    return await self.lost(.refused(refusal, isFinal: refusal.isFinal), serial)
                }
                self.releaseSlot()
            }
        }
    }

    private func listen(to line: any RealtimeLine, _ serial: Int) async {
        while serial == self.serial {
            let input = await line.receive()
            guard serial == self.serial else { return }
            switch input {
            case .text(let frame): await self.take(frame)
            case .binary: break
            case .pong:
                self.session.notePong()
                self.arm()
            case .ended(let code, let reason): await self.lost(.closed(code: code, reason: reason), serial)
            }
        }
    }

    private func take(_ frame: [UInt8]) async {
        let message = self.dialect.read(platformFrame: frame)
        if case .refusal(let refusal) = message, let fault = refusal.code?.accountFault { self.note(fault) }
        let actions = self.session.receive(message, at: self.now, random: self.services.clock.random())
        switch message {
        case .progress where actions.isEmpty: self.services.metrics.suppressedProgress.increment()
        case .started: self.noteAcceptance(ofAll: false)
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
