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

    private struct User: Hashable {
        let client: String
        let user: String?
    }

    private struct State {
        var rows: [UsageKey: UsageCounts] = [:]
        var erasures = 0
        /// Users erased within the last hour, with the number of their erasure and its time: what began before is
        /// counted without their name.
        var erased: [User: (number: Int, at: Int64)] = [:]
    }

    private let state = Locked(State())

    /// A request comes.
    func enter(_ key: UsageKey) -> Entry {
        Entry(key: key, erasures: self.state.withLock { $0.erasures })
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
        self.add(counts, to: self.key(of: entry))
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
        self.add(counts, to: self.key(of: entry))
    }

    /// Hands everything to the store; what it does not take stays.
    func flush(to store: Store) async throws(StoreError) {
        var rest = self.take()
        while !rest.isEmpty {
            let part = Dictionary(
                uniqueKeysWithValues: rest[..<min(rest.count, Self.rowsPerWrite)].map { ($0.key, $0.value) }
            )
            do throws(StoreError) {
                try await store.addUsage(part)
            } catch {
                for (key, counts) in rest { self.add(counts, to: key) }
                throw error
            }
            rest.removeFirst(part.count)
        }
    }

    /// Forgets who a user was that is being erased.
    func makeAnonymous(client: String, user: String, at now: Int64) {
        self.state.withLock { state in
            state.erasures += 1
            // No request lasts an hour.
            state.erased = state.erased.filter { $0.value.at > now - 3_600_000 }
            state.erased[User(client: client, user: user)] = (state.erasures, now)
            for (key, counts) in state.rows where key.client == client && key.user == user {
                state.rows[key] = nil
                state.rows[key.anonymous, default: UsageCounts()] += counts
            }
        }
    }

    private func key(of entry: Entry) -> UsageKey {
        let key = entry.key
        let erasure = self.state.withLock { $0.erased[User(client: key.client, user: key.user)] }
        return erasure.map { $0.number > entry.erasures } == true ? key.anonymous : key
    }

    private func take() -> [(key: UsageKey, value: UsageCounts)] {
        self.state.withLock { state in
            defer { state.rows.removeAll(keepingCapacity: true) }
            return state.rows.map { ($0.key, $0.value) }
        }
    }

    private func add(_ counts: UsageCounts, to key: UsageKey) {
        self.state.withLock { state in
            let isFull = state.rows.count >= Self.maximumRows && state.rows[key] == nil
            state.rows[isFull ? key.anonymous : key, default: UsageCounts()] += counts
        }
    }
}

extension UsageKey {
    fileprivate var anonymous: UsageKey {
        var key = self
        key.user = nil
        return key
    }
}
