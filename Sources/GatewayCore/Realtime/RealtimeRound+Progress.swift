internal import HTTPWire

extension RealtimeRound {
    /// Tells the client how far the reading has come, and does not wait for it: of what a client has no room for, the
    /// newest is kept alone.
    func show(_ frame: [UInt8], droppingWords count: Int) {
        self.waitingProgress = self.dialect.progress(frame, droppingWords: count, inPlaceOf: self.waitingProgress)
        guard self.showing == nil else { return }
        self.showing = self.start { await self.showWaiting() }
    }

    private func showWaiting() async {
        while let frame = self.waitingProgress {
            self.waitingProgress = nil
            await self.tell(frame)
        }
        self.showing = nil
    }
}
