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
        return true
    }

    func ping(within limit: Duration) async -> Bool {
        if let peer = self.peer, peer.state.withLock({ $0.answersPings }) { return true }
        try? await Task.sleep(for: limit)
        return false
    }

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
        let (reader, enders) = self.state.withLock { state in
            guard state.end == nil else {
                return (
                    CheckedContinuation<WebSocketMessage?, Never>?.none, [CheckedContinuation<WebSocketEnd, Never>]()
                )
            }
            state.end = end
            state.peer = nil
            defer {
                state.reader = nil
                state.enders = []
            }
            return (state.reader, state.enders)
        }
        reader?.resume(returning: nil)
        for ender in enders { ender.resume(returning: end) }
    }
}
