internal import HTTPWire
internal import Locking
internal import Store

/// Counts requests in memory until the store takes the sums, every few seconds: a request that is free must not cost a
/// write.
///
/// What a killed process loses are these few seconds of calls, replays and failures. Billed calls are not counted here:
/// each is counted by the commit that stores its answer.
final class UsageTally: Sendable {
    /// How many rows are kept apart; beyond, users are no longer told apart, and nothing is lost.
    private static let maximumRows = 10_000
    /// How many rows one write has.
    private static let rowsPerWrite = 512

    /// What a request is counted under, taken when it comes.
    struct Entry: Sendable {
        fileprivate let key: UsageKey
        /// How many users had been erased by then.
        fileprivate let erasures: Int
    }

    /// Rows on their way to the store.
    struct Part: Sendable {
        /// The rows.
        let rows: [UsageKey: UsageCounts]
        fileprivate let erasures: Int
    }

    private struct User: Hashable {
        let client: String
        let user: String?
    }

    private struct State {
        var rows: [UsageKey: UsageCounts] = [:]
        var erasures = 0
        /// Users erased while what began before is still open, with the number of their erasure: it is counted without
        /// their name.
        var erased: [User: Int] = [:]
        /// Requests, and parts on their way to the store, by how many users had been erased when they began.
        var open: [Int: Int] = [:]

        mutating func begin() -> Int {
            self.open[self.erasures, default: 0] += 1
            return self.erasures
        }

        mutating func end(_ erasures: Int) {
            let rest = (self.open[erasures] ?? 1) - 1
            self.open[erasures] = rest > 0 ? rest : nil
        }

        /// The key without its user, if that was erased since.
        func key(_ key: UsageKey, since erasures: Int) -> UsageKey {
            let erasure = self.erased[User(client: key.client, user: key.user)]
            return erasure.map { $0 > erasures } == true ? key.anonymous : key
        }

        mutating func add(_ counts: UsageCounts, to key: UsageKey) {
            let isFull = self.rows.count >= UsageTally.maximumRows && self.rows[key] == nil
            self.rows[isFull ? key.anonymous : key, default: UsageCounts()] += counts
        }
    }

    private let state = Locked(State())

    /// A request comes; it is counted once, when it ends.
    func enter(_ key: UsageKey) -> Entry {
        Entry(key: key, erasures: self.state.withLock { $0.begin() })
    }

    /// Counts one request by its answer.
    func count(_ entry: Entry, response: HTTPResponse) {
        var counts = UsageCounts()
        counts.calls = 1
        if response.status.code >= 400 {
            counts.failed = 1
        } else if response.fields[.idempotencyReplayed] != nil {
            counts.replayed = 1
        }
        self.end(entry, counts)
    }

    /// Counts one request that failed.
    func count(_ entry: Entry, error: GatewayError) {
        var counts = UsageCounts()
        counts.calls = 1
        if error.reason == GatewayError.outcomeUnknown.reason {
            counts.unknown = 1
        } else {
            counts.failed = 1
        }
        self.end(entry, counts)
    }

    private func end(_ entry: Entry, _ counts: UsageCounts) {
        self.state.withLock { state in
            state.add(counts, to: state.key(entry.key, since: entry.erasures))
            state.end(entry.erasures)
        }
    }

    /// Takes rows for one write, which ``finish(_:isWritten:)`` ends; nil when there are none.
    func take() -> Part? {
        self.state.withLock { state in
            guard !state.rows.isEmpty else { return nil }
            let rows: [UsageKey: UsageCounts]
            if state.rows.count > Self.rowsPerWrite {
                rows = Dictionary(uniqueKeysWithValues: state.rows.prefix(Self.rowsPerWrite).map { ($0.key, $0.value) })
                for key in rows.keys { state.rows[key] = nil }
            } else {
                rows = state.rows
                state.rows.removeAll(keepingCapacity: true)
            }
            return Part(rows: rows, erasures: state.begin())
        }
    }

    /// Ends a write.
    ///
    /// - Parameter isWritten: If not, all is counted again, without the users that were erased meanwhile.
    func finish(_ part: Part, isWritten: Bool) {
        self.state.withLock { state in
            if !isWritten {
                for (key, counts) in part.rows { state.add(counts, to: state.key(key, since: part.erasures)) }
            }
            state.end(part.erasures)
        }
    }

    /// Forgets who a user was that is being erased.
    func makeAnonymous(client: String, user: String) {
        self.state.withLock { state in
            state.erasures += 1
            // Nothing that is open began before these.
            let oldest = state.open.keys.min() ?? state.erasures
            if state.erased.contains(where: { $0.value <= oldest }) {
                state.erased = state.erased.filter { $0.value > oldest }
            }
            state.erased[User(client: client, user: user)] = state.erasures
            for (key, counts) in state.rows where key.client == client && key.user == user {
                state.rows[key] = nil
                state.rows[key.anonymous, default: UsageCounts()] += counts
            }
        }
    }
}
