internal import Synchronization

/// How many bytes some connections together may keep, of messages nobody has asked for or that have not ended, and of
/// frames no socket has taken.
///
/// Any thread.
public final class WebSocketBudget: Sendable {
    private let limit: Int
    private let whole: WebSocketBudget?
    private let used = Atomic<Int>(0)

    /// Makes a budget.
    ///
    /// - Parameters:
    ///   - limit: In bytes.
    ///   - whole: What it is a share of, where what it gives counts too; nil for a budget of its own.
    public init(limit: Int, of whole: WebSocketBudget? = nil) {
        self.limit = limit
        self.whole = whole
    }

    /// How many bytes are kept now.
    public var usedBytes: Int { self.used.load(ordering: .relaxed) }

    /// Takes bytes if there are so many left.
    func take(_ count: Int) -> Bool {
        if self.used.wrappingAdd(count, ordering: .relaxed).newValue <= self.limit, self.whole?.take(count) ?? true {
            return true
        }
        self.used.wrappingSubtract(count, ordering: .relaxed)
        return false
    }

    func giveBack(_ count: Int) {
        self.used.wrappingSubtract(count, ordering: .relaxed)
        self.whole?.giveBack(count)
    }
}
