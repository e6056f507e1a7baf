internal import HTTPWire
internal import Locking
internal import Synchronization

/// What all loops of a server share: the count of connections, and who waits for its end.
final class ServerShared: Sendable {
    /// What becomes of a new connection.
    enum Admission: UInt8 {
        case admitted
        /// It is told that there is no room.
        case shed
        /// It is closed: even telling has no room.
        case refused
    }

    private struct Waiters {
        var next = 0
        var continuations: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let maximumConnections: Atomic<Int>
    private let maximumShedding: Int
    private let open = Atomic<Int>(0)
    private let shedding = Atomic<Int>(0)
    private let accepted = Atomic<Int>(0)
    private let shed = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)
    private let shedWebSockets = Atomic<Int>(0)
    private let maximumWebSockets: Atomic<Int>
    private let openWebSockets = Atomic<Int>(0)
    private let openedWebSockets = Atomic<Int>(0)
    private let waiters = Locked(Waiters())
    let webSocketShares: WebSocketShares

    init(_ configuration: HTTPServer.Configuration) {
        self.maximumConnections = Atomic(configuration.maximumConnections)
        self.maximumShedding = configuration.maximumShedding
        self.maximumWebSockets = Atomic(configuration.maximumWebSockets)
        self.webSocketShares = WebSocketShares(limit: configuration.webSocketBufferBytes)
    }

    /// Takes over other limits; what is beyond them already stays.
    func change(to configuration: HTTPServer.Configuration) {
        self.maximumConnections.store(configuration.maximumConnections, ordering: .relaxed)
        self.maximumWebSockets.store(configuration.maximumWebSockets, ordering: .relaxed)
    }

    var statistics: HTTPServer.Statistics {
        HTTPServer.Statistics(
            openConnections: self.open.load(ordering: .relaxed),
            acceptedConnections: self.accepted.load(ordering: .relaxed),
            shedConnections: self.shed.load(ordering: .relaxed),
            refusedConnections: self.refused.load(ordering: .relaxed),
            requests: 0,
            openWebSockets: self.openWebSockets.load(ordering: .relaxed),
            openedWebSockets: self.openedWebSockets.load(ordering: .relaxed),
            shedWebSockets: self.shedWebSockets.load(ordering: .relaxed),
            webSocketBufferBytes: self.webSocketShares.whole.usedBytes,
            receivedMessages: 0,
            sentMessages: 0
        )
    }

    /// Whether one more connection may become a WebSocket.
    func admitWebSocket() -> Bool {
        guard
            self.openWebSockets.wrappingAdd(1, ordering: .relaxed).newValue
                <= self.maximumWebSockets.load(ordering: .relaxed)
        else {
            self.openWebSockets.wrappingSubtract(1, ordering: .relaxed)
            self.shedWebSockets.wrappingAdd(1, ordering: .relaxed)
            return false
        }
        self.openedWebSockets.wrappingAdd(1, ordering: .relaxed)
        return true
    }

    func closedWebSocket() {
        self.openWebSockets.wrappingSubtract(1, ordering: .relaxed)
    }

    func admit() -> Admission {
        self.accepted.wrappingAdd(1, ordering: .relaxed)
        let maximum = self.maximumConnections.load(ordering: .relaxed)
        if self.open.wrappingAdd(1, ordering: .relaxed).newValue <= maximum { return .admitted }
        self.open.wrappingSubtract(1, ordering: .relaxed)
        self.shed.wrappingAdd(1, ordering: .relaxed)
        if self.shedding.wrappingAdd(1, ordering: .relaxed).newValue <= self.maximumShedding { return .shed }
        self.shedding.wrappingSubtract(1, ordering: .relaxed)
        return .refused
    }

    /// Connections were closed because the process ran out of descriptors or watches.
    func countRefusals(_ count: Int) {
        self.refused.wrappingAdd(count, ordering: .relaxed)
    }

    func closed(_ admission: Admission) {
        switch admission {
        case .admitted: self.open.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        case .shed: self.shedding.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        case .refused: return
        }
        guard self.isEmpty else { return }
        let continuations = self.waiters.withLock { waiters in
            defer { waiters.continuations = [:] }
            return waiters.continuations.values
        }
        for continuation in continuations {
            continuation.resume()
        }
    }

    var isEmpty: Bool {
        self.open.load(ordering: .sequentiallyConsistent) == 0
            && self.shedding.load(ordering: .sequentiallyConsistent) == 0
    }

    /// Returns when no connection is open, or when the wait is ended.
    ///
    /// - Parameter started: Gets what ends the wait.
    func untilEmpty(_ started: (@escaping @Sendable () -> Void) -> Void) async {
        await withCheckedContinuation { continuation in
            // Checked under the lock, after which a last close would find the continuation.
            let number = self.waiters.withLock { waiters -> Int? in
                guard !self.isEmpty else { return nil }
                waiters.next += 1
                waiters.continuations[waiters.next] = continuation
                return waiters.next
            }
            guard let number else {
                continuation.resume()
                return
            }
            started { self.waiters.withLock { $0.continuations.removeValue(forKey: number) }?.resume() }
        }
    }
}
