internal import CLinux
internal import EventLoop
internal import Glibc
internal import HTTPWire

/// An answer on its way: what waits for the end of the turn, or for the socket to take it.
final class Outgoing {
    var head: [UInt8]
    var body: [UInt8]
    var offset: Int
    /// Whether this is only an interim answer.
    var isInterim: Bool

    init(head: [UInt8], body: [UInt8], offset: Int, isInterim: Bool) {
        self.head = head
        self.body = body
        self.offset = offset
        self.isInterim = isInterim
    }

    var isEmpty: Bool { self.offset == self.head.count + self.body.count }
}

extension Connection {
    /// Sends an answer, in one call at the end of the turn; what the socket does not take waits for it.
    func send(_ head: [UInt8], _ body: [UInt8]) {
        if let outgoing = self.outgoing {
            // An interim answer is stuck in front.
            outgoing.head.append(contentsOf: head)
            outgoing.body = body
            outgoing.isInterim = false
            self.machine.wroteSome(at: self.loop.roundTime, self.server.timeouts)
            self.armTimer()
            return
        }
        self.outgoing = Outgoing(head: head, body: body, offset: 0, isInterim: false)
        // Behind a pipelined request the next one is read at once, while it still lies in the buffer.
        let isFollowed = !(self.window?.isEmpty ?? true)
        if isFollowed { self.sendNow() } else { self.server.sendAtEndOfTurn(self) }
    }

    /// Sends an answer for the first time.
    func sendNow() {
        guard let outgoing = self.outgoing else { return }
        let sent = Connection.transmit(self.descriptor, outgoing.head, outgoing.body, from: 0)
        if sent == outgoing.head.count + outgoing.body.count {
            self.outgoing = nil
            return self.answerIsOut()
        }
        guard sent >= 0 || errno == EAGAIN || errno == EWOULDBLOCK else { return self.abort() }
        outgoing.offset = max(0, sent)
        self.wait(for: outgoing)
    }

    /// Tells the client to go on with its content.
    func sendContinue() {
        var head: [UInt8] = []
        HTTP1ResponseEncoder.encodeContinue(into: &head)
        let sent = Connection.transmit(self.descriptor, head, [], from: 0)
        if sent == head.count { return }
        guard sent >= 0 || errno == EAGAIN || errno == EWOULDBLOCK else {
            // The reset is reported as an event as well, which ends the connection.
            return
        }
        self.wait(for: Outgoing(head: head, body: [], offset: max(0, sent), isInterim: true))
    }

    private func wait(for outgoing: Outgoing) {
        self.outgoing = outgoing
        if !outgoing.isInterim {
            self.machine.wroteSome(at: self.loop.roundTime, self.server.timeouts)
            self.armTimer()
        }
        self.watchOutput(true)
    }

    /// The socket takes bytes again.
    func flush() {
        guard let outgoing = self.outgoing else {
            self.watchOutput(false)
            return
        }
        while !outgoing.isEmpty {
            let sent = Connection.transmit(self.descriptor, outgoing.head, outgoing.body, from: outgoing.offset)
            if sent < 0 {
                if errno != EAGAIN, errno != EWOULDBLOCK { self.abort() }
                return
            }
            outgoing.offset += sent
            if !outgoing.isInterim {
                self.machine.wroteSome(at: self.loop.roundTime, self.server.timeouts)
            }
        }
        self.outgoing = nil
        self.watchOutput(false)
        if !outgoing.isInterim {
            self.answerIsOut()
        }
    }

    private static func transmit(_ descriptor: Int32, _ head: [UInt8], _ body: [UInt8], from offset: Int) -> Int {
        head.withUnsafeBytes { head in
            body.withUnsafeBytes { body in
                let headOffset = min(offset, head.count)
                let bodyOffset = offset - headOffset
                return clinux_send2(
                    descriptor,
                    head.baseAddress.map { $0 + headOffset },
                    head.count - headOffset,
                    body.baseAddress.map { $0 + bodyOffset },
                    body.count - bodyOffset
                )
            }
        }
    }
}
