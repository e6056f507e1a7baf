internal import Locking
internal import Store

/// The realtime sessions that run, by what may end them: their key, their credential, the end of the process.
public final class RealtimeRegistry: Sendable {
    private struct State {
        var serial = 0
        var sessions: [Int: RealtimeConnection] = [:]
        var byScope: [ScopeHash: [Int]] = [:]
        var isDraining = false
    }

    private let limit: Int
    private let state = Locked(State())

    /// An empty registry.
    ///
    /// - Parameter limit: Sessions at once.
    public init(limit: Int) {
        self.limit = limit
    }

    /// The number of sessions.
    public var count: Int { self.state.withLock { $0.sessions.count } }

    /// Takes a session in.
    ///
    /// - Returns: Its number; nil when there are too many, or the gateway goes down.
    func enter(_ session: RealtimeConnection) -> Int? {
        self.state.withLock { state in
            guard !state.isDraining, state.sessions.count < self.limit else { return nil }
            state.serial += 1
            state.sessions[state.serial] = session
            return state.serial
        }
    }

    func leave(_ number: Int) {
        self.state.withLock { $0.sessions[number] = nil }
    }

    /// A round of a session begins under a key.
    ///
    /// - Returns: The sessions that have a round under it already.
    func begin(_ scope: ScopeHash, _ number: Int) -> [RealtimeConnection] {
        self.state.withLock { state in
            let others = state.byScope[scope, default: []]
            state.byScope[scope, default: []].append(number)
            return others.filter { $0 != number }.compactMap { state.sessions[$0] }
        }
    }

    /// A round of a session is over, or has come to its end.
    func end(_ scope: ScopeHash, _ number: Int) {
        self.state.withLock { state in
            guard var numbers = state.byScope[scope], let index = numbers.firstIndex(of: number) else { return }
            numbers.remove(at: index)
            state.byScope[scope] = numbers.isEmpty ? nil : numbers
        }
    }

    /// Whether no session may begin any more.
    var isDraining: Bool { self.state.withLock { $0.isDraining } }

    private var all: [RealtimeConnection] { self.state.withLock { Array($0.sessions.values) } }

    /// Looks after all sessions: one whose credential holds no longer, or that does nothing, is closed.
    ///
    /// - Parameters:
    ///   - interval: How often.
    ///   - isCurrent: Whether a principal's credential still holds.
    public func watch(
        every interval: Duration,
        clock: GatewayClock = .system,
        isCurrent: @escaping @Sendable (Principal) -> Bool
    ) async {
        while (try? await clock.sleep(interval)) != nil {
            for session in self.all { await session.look(isCredentialCurrent: isCurrent(session.principal)) }
        }
    }

    /// From now on no session begins; those without a round are closed, the others after the result of theirs.
    public func drain() async {
        self.state.withLock { $0.isDraining = true }
        for session in self.all { await session.drain() }
    }

    /// Ends what is left: the time is up.
    public func stop() async {
        self.state.withLock { $0.isDraining = true }
        for session in self.all { await session.stop() }
    }
}
