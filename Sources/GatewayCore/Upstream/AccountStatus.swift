/// How an account stands, for operators.
public struct AccountStatus: Sendable {
    /// The operator's name for it.
    public let name: String
    /// What it is for.
    public let kind: Account.Kind
    /// Calls that wait for one of its slots.
    public let waitingCalls: Int
    let condition: AccountCondition.State
    /// Whether its breaker keeps calls of some route back.
    public let isHeld: Bool
    /// How far the platform's clock is ahead of ours, as far as it has said.
    public let clockOffset: Duration

    /// Whether the platform would take calls of it, as far as it has said.
    public var isUsable: Bool { self.condition == .usable }

    /// One word: `usable`, `held` (its breaker keeps calls back), `refused`, `disabled` or `exhausted`.
    public var state: String { self.isUsable && self.isHeld ? "held" : self.condition.rawValue }
}
