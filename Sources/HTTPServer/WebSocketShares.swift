internal import HTTPWire
internal import Locking

/// What WebSocket connections may keep: all of them together, and those of one owner a quarter of it, so that the
/// messages of one, begun and not ended, close no connection of another.
final class WebSocketShares: Sendable {
    private struct Share {
        weak var budget: WebSocketBudget?
    }

    /// Of all.
    let whole: WebSocketBudget
    private let limit: Int
    /// Of owners with connections.
    private let shares = Locked<[String: Share]>([:])

    init(limit: Int) {
        self.whole = WebSocketBudget(limit: limit)
        self.limit = limit / 4
    }

    /// What a connection of this owner keeps with the others; of nobody's, with all.
    func budget(of owner: String?) -> WebSocketBudget {
        guard let owner else { return self.whole }
        return self.shares.withLock { shares in
            if let known = shares[owner]?.budget { return known }
            // Rare, and owners are few: whoever has no connection any more is forgotten.
            shares = shares.filter { $0.value.budget != nil }
            let budget = WebSocketBudget(limit: self.limit, of: self.whole)
            shares[owner] = Share(budget: budget)
            return budget
        }
    }
}
