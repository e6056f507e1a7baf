extension RealtimeRound {
    /// Sees to it that the machine hears of its deadline.
    func arm() {
        guard let deadline = self.session.deadline else {
            self.timer?.task.cancel()
            self.timer = nil
            return
        }
        // An earlier alarm looks again when it comes.
        if let timer, timer.deadline <= deadline { return }
        self.timer?.task.cancel()
        let wait = max(.zero, deadline - self.now)
        let task = self.start {
            guard (try? await self.services.clock.sleep(wait)) != nil else { return }
            await self.wake()
        }
        self.timer = (deadline, task)
    }

    private func wake() async {
        guard !Task.isCancelled else { return }
        self.timer = nil
        await self.perform(self.session.fire(at: self.now, random: self.services.clock.random()))
    }

    /// Ends a round that has waited too long for its end, or for audio: pings alone do not keep its slot.
    func look() async {
        let configuration = self.services.configuration
        if self.now - self.began > configuration.roundTimeout {
            await self.giveUp(.roundTooLong(configuration.roundTimeout))
        } else if self.now - self.lastAudio > configuration.audioTimeout {
            await self.giveUp(.noAudio(configuration.audioTimeout))
        }
    }

    /// Ends a round that waits for its client, and says why.
    func giveUp(_ error: GatewayError) async {
        guard self.phase == .open else { return }
        self.phase = .ending
        await self.finish(.failed(error))
    }
}
