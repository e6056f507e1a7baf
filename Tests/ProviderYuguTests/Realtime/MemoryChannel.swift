import HTTPWire
import Locking

@testable import GatewayCore

/// One end of a connection in memory.
final class MemoryChannel: WebSocketChannel {
    private struct State {
        var inbox: [WebSocketMessage] = []
        var reader: CheckedContinuation<WebSocketMessage?, Never>?
        var enders: [CheckedContinuation<WebSocketEnd, Never>] = []
        var end: WebSocketEnd?
        var answersPings = true
        var answeredPings = 0
        var losesPings = false
        /// Pings of the other end that are not answered yet.
        var waitingPings = 0
        /// Senders of this end that wait for the other end to read; nil while it does.
        var held: [CheckedContinuation<Void, Never>]?
        var peer: MemoryChannel?
    }

    private let state = Locked(State())

    static func pair() -> (MemoryChannel, MemoryChannel) {
        let pair = (MemoryChannel(), MemoryChannel())
        pair.0.state.withLock { $0.peer = pair.1 }
        pair.1.state.withLock { $0.peer = pair.0 }
        return pair
    }

    private var peer: MemoryChannel? { self.state.withLock { $0.peer } }
    var end: WebSocketEnd? { self.state.withLock { $0.end } }

    /// From now on pings of the other end go without an answer.
    func fallSilent() {
        self.state.withLock { $0.answersPings = false }
    }

    /// From now on they are answered again, late ones too.
    func speakAgain() {
        self.state.withLock { $0.answersPings = true }
    }

    /// The time of all pings that go without an answer is up.
    func losePings() {
        self.state.withLock { $0.losesPings = true }
    }

    /// This end reads no more: whoever sends to it waits until ``peerLetsGo()``.
    func peerHolds() {
        self.peer?.state.withLock { $0.held = $0.held ?? [] }
    }

    func peerLetsGo() {
        let held = self.peer?.state.withLock { state in
            defer { state.held = nil }
            return state.held
        }
        for sender in held ?? [] { sender.resume() }
    }

    /// How many senders wait for this end.
    var peerHeldCount: Int { self.peer?.state.withLock { $0.held?.count } ?? 0 }

    func receive() async -> WebSocketMessage? {
        await withCheckedContinuation { continuation in
            let early: WebSocketMessage?? = self.state.withLock { state in
                if !state.inbox.isEmpty { return state.inbox.removeFirst() }
                if state.end != nil { return .some(nil) }
                state.reader = continuation
                return nil
            }
            if let early { continuation.resume(returning: early) }
        }
    }

    @discardableResult
    func send(_ message: WebSocketMessage) async -> Bool {
        guard let peer = self.peer else { return false }
        let reader: CheckedContinuation<WebSocketMessage?, Never>? = peer.state.withLock { state in
            guard let reader = state.reader else {
                state.inbox.append(message)
                return nil
            }
            state.reader = nil
            return reader
        }
        reader?.resume(returning: message)
        await withCheckedContinuation { continuation in
            let isHeld = self.state.withLock { state in
                state.held?.append(continuation)
                return state.held != nil
            }
            if !isHeld { continuation.resume() }
        }
        return true
    }

    func ping(within limit: Duration) async -> Bool {
        guard let peer = self.peer else { return false }
        let deadline = ContinuousClock.now + limit
        peer.state.withLock { $0.waitingPings += 1 }
        defer { peer.state.withLock { $0.waitingPings -= 1 } }
        while self.peer?.state.withLock({ $0.answersPings }) == false {
            guard ContinuousClock.now < deadline, !peer.state.withLock({ $0.losesPings }) else { return false }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return self.peer?.state.withLock { $0.answeredPings += 1 } != nil
    }

    /// How many pings of the other end were answered.
    var answeredPings: Int { self.state.withLock { $0.answeredPings } }
    /// How many of them wait for an answer.
    var waitingPings: Int { self.state.withLock { $0.waitingPings } }

    func close(_ close: WebSocketClose) {
        let peer = self.peer
        self.finish(.closed(close))
        peer?.finish(.closedByPeer(close))
    }

    /// The connection breaks for both ends.
    func abort() {
        let peer = self.peer
        self.finish(.lost(.aborted))
        peer?.finish(.lost(.disconnected))
    }

    func untilEnd() async -> WebSocketEnd {
        await withCheckedContinuation { continuation in
            let end: WebSocketEnd? = self.state.withLock { state in
                if state.end == nil { state.enders.append(continuation) }
                return state.end
            }
            if let end { continuation.resume(returning: end) }
        }
    }

    private func finish(_ end: WebSocketEnd) {
        let ended = self.state.withLock { state -> State? in
            guard state.end == nil else { return nil }
            let ended = state
            state.end = end
            state.peer = nil
            state.reader = nil
            state.enders = []
            state.held = nil
            return ended
        }
        guard let ended else { return }
        for sender in ended.held ?? [] { sender.resume() }
        ended.reader?.resume(returning: nil)
        for ender in ended.enders { ender.resume(returning: end) }
    }
}
