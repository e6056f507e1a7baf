import Locking

@testable import GatewayCore

/// One end of a connection in memory.
final class MemoryLine: RealtimeLine {
    private struct State {
        var inbox: [RealtimeInput] = []
        var reader: CheckedContinuation<RealtimeInput, Never>?
        var end: RealtimeInput?
        var answersPings = true
        var peer: MemoryLine?
    }

    private let state = Locked(State())

    static func pair() -> (MemoryLine, MemoryLine) {
        let pair = (MemoryLine(), MemoryLine())
        pair.0.state.withLock { $0.peer = pair.1 }
        pair.1.state.withLock { $0.peer = pair.0 }
        return pair
    }

    private var peer: MemoryLine? { self.state.withLock { $0.peer } }

    /// From now on pings of the other end go without an answer.
    func fallSilent() {
        self.state.withLock { $0.answersPings = false }
    }

    func receive() async -> RealtimeInput {
        await withCheckedContinuation { continuation in
            let input: RealtimeInput? = self.state.withLock { state in
                if !state.inbox.isEmpty { return state.inbox.removeFirst() }
                if let end = state.end { return end }
                state.reader = continuation
                return nil
            }
            if let input { continuation.resume(returning: input) }
        }
    }

    func send(text: [UInt8]) async {
        self.peer?.deliver(.text(text))
    }

    func send(binary: [UInt8]) async {
        self.peer?.deliver(.binary(binary))
    }

    func ping() {
        guard let peer = self.peer, peer.state.withLock({ $0.answersPings }) else { return }
        self.deliver(.pong)
    }

    func close(code: UInt16, reason: String) {
        let peer = self.peer
        self.deliver(.ended(code: code, reason: reason))
        peer?.deliver(.ended(code: code, reason: reason))
    }

    /// The connection breaks for both ends.
    func tear() {
        let peer = self.peer
        self.deliver(.ended(code: nil, reason: ""))
        peer?.deliver(.ended(code: nil, reason: ""))
    }

    private func deliver(_ input: RealtimeInput) {
        let reader: CheckedContinuation<RealtimeInput, Never>? = self.state.withLock { state in
            guard state.end == nil else { return nil }
            if case .ended = input {
                state.end = input
                state.peer = nil
            }
            guard let reader = state.reader else {
                state.inbox.append(input)
                return nil
            }
            state.reader = nil
            return reader
        }
        reader?.resume(returning: input)
    }
}
