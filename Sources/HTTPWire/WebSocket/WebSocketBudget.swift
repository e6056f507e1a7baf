internal import Synchronization

/// How many bytes all connections together may keep, of messages nobody has asked for and of frames no socket has taken.
///
/// Any thread.
public final class WebSocketBudget: Sendable {
    private let limit: Int
    private let used = Atomic<Int>(0)

    /// Makes a budget.
    ///
    /// - Parameter limit: In bytes.
    public init(limit: Int) {
        self.limit = limit
    }

    /// How many bytes are kept now.
    public var usedBytes: Int { self.used.load(ordering: .relaxed) }

    /// Takes bytes if there are so many left.
    func take(_ count: Int) -> Bool {
        guard self.used.wrappingAdd(count, ordering: .relaxed).newValue > self.limit else { return true }
        self.used.wrappingSubtract(count, ordering: .relaxed)
        return false
    }

    func giveBack(_ count: Int) {
        self.used.wrappingSubtract(count, ordering: .relaxed)
    }
}
