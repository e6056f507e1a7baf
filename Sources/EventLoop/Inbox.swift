internal import Locking

/// What other threads hand to a loop; one wake-up stands for all that comes until the loop looks.
struct Inbox<Item: Sendable>: Sendable {
    private struct State: Sendable {
        var items: [Item] = []
        var wakesLoop = false
    }

    private let state = Locked(State())

    /// Adds an item; whether the loop has to be woken for it.
    func put(_ item: Item) -> Bool {
        self.state.withLock { state in
            state.items.append(item)
            defer { state.wakesLoop = true }
            return !state.wakesLoop
        }
    }

    /// Takes all items.
    func takeAll() -> [Item] {
        self.state.withLock { state in
            state.wakesLoop = false
            guard !state.items.isEmpty else { return [] }
            defer { state.items = [] }
            return state.items
        }
    }
}
