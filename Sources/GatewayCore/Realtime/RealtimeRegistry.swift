internal import Locking
internal import Store

/// The realtime sessions that run, and the keys of their rounds.
final class RealtimeRegistry: Sendable {
    private struct State {
        var serial = 0
        var sessions: [Int: RealtimeConnection] = [:]
        var byScope: [ScopeHash: [Int]] = [:]
    }

    private let state = Locked(State())

    /// The number of sessions.
    var count: Int { self.state.withLock { $0.sessions.count } }

    /// All sessions.
    var all: [RealtimeConnection] { self.state.withLock { Array($0.sessions.values) } }

    /// Takes a session in; its number.
    func enter(_ session: RealtimeConnection) -> Int {
        self.state.withLock { state in
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
            state.byScope[scope] = others + [number]
            return others.filter { $0 != number }.compactMap { state.sessions[$0] }
        }
    }

    /// A round of a session is over.
    func end(_ scope: ScopeHash, _ number: Int) {
        self.state.withLock { state in
            guard var numbers = state.byScope[scope], let index = numbers.firstIndex(of: number) else { return }
            numbers.remove(at: index)
            state.byScope[scope] = numbers.isEmpty ? nil : numbers
        }
    }
}
