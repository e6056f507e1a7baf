/// The calls to platforms that run or wait now, by client and user; whoever has none is not in it.
struct RunningCalls: Sendable {
    private struct User: Hashable {
        let client: String
        let name: String
    }

    private var clients: [String: Int] = [:]
    private var users: [User: Int] = [:]

    /// Counts a call, unless a limit refuses it.
    ///
    /// - Returns: Whose limit refuses it; nothing is counted then.
    mutating func begin(client: String, user: String?, limits: ClientLimits) -> RateLimits.Party? {
        let user = user.map { User(client: client, name: $0) }
        if let limit = limits.concurrency, self.clients[client, default: 0] >= limit { return .client }
        if let user, let limit = limits.userConcurrency, self.users[user, default: 0] >= limit { return .user }
        self.clients[client, default: 0] += 1
        if let user { self.users[user, default: 0] += 1 }
        return nil
    }

    /// Ends a call that was counted.
    mutating func end(client: String, user: String?) {
        Self.decrease(&self.clients, client)
        if let user { Self.decrease(&self.users, User(client: client, name: user)) }
    }

    private static func decrease<Key: Hashable>(_ counts: inout [Key: Int], _ key: Key) {
        guard let count = counts[key] else { return }
        counts[key] = count > 1 ? count - 1 : nil
    }
}
