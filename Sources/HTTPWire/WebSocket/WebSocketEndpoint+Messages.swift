extension WebSocketEndpoint {
    /// The next message; see ``WebSocketChannel/receive()``.
    public func receive() async -> WebSocketMessage? {
        self.checkLoop()
        if let message = self.takeNext() { return message }
        guard self.machine.end == nil, let carrier = self.carrier else { return nil }
        let serial = self.incoming.newSerial()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // On the way here other tasks of the loop may have had their turn: what they brought must not be waited for.
                if self.machine.end != nil || !self.incoming.isEmpty {
                    continuation.resume(returning: self.takeNext())
                } else {
                    self.incoming.wait(continuation)
                }
            }
        } onCancel: {
            // Whoever cancels may be anywhere.
            carrier.execute { self.incoming.cancel(serial) }
        }
    }

    private func takeNext() -> WebSocketMessage? {
        let wasReading = self.wantsInput
        let message = self.incoming.next(self.budget)
        if !wasReading, self.wantsInput {
            self.noteReading()
            self.carrier?.endpointChanged()
        }
        return message
    }

    /// Sends a message; see ``WebSocketChannel/send(_:)``.
    @discardableResult
    public func send(_ message: WebSocketMessage) async -> Bool {
        self.checkLoop()
        guard self.machine.phase == .open else { return false }
        let wasEmpty = self.outgoing.isEmpty
        self.write { self.encoder.encode(message, into: &$0) }
        self.share.countSent()
        if wasEmpty && !self.outgoing.isEmpty || self.isOver { self.carrier?.endpointChanged() }
        if self.outgoing.waitingBytes > self.configuration.sendBuffer, self.machine.phase == .open {
            await withCheckedContinuation { continuation in
                // As above.
                if self.machine.phase == .open, self.outgoing.waitingBytes > self.configuration.sendBuffer {
                    self.outgoing.wait(continuation)
                } else {
                    continuation.resume()
                }
            }
        }
        return self.machine.phase == .open
    }

    /// Asks the other end for a sign of life; see ``WebSocketChannel/ping(within:)``.
    public func ping(within limit: Duration) async -> Bool {
        self.checkLoop()
        guard self.machine.phase == .open, let carrier = self.carrier else { return false }
        let payload = self.pings.next()
        self.write { self.encoder.encode(.ping, payload, into: &$0) }
        guard self.machine.phase == .open else {
            carrier.endpointChanged()
            return false
        }
        return await withCheckedContinuation { continuation in
            // As above.
            guard self.machine.phase == .open else { return continuation.resume(returning: false) }
            self.pings.wait(until: carrier.now + limit, continuation)
            carrier.endpointChanged()
        }
    }
}
