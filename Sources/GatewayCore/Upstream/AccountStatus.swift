/// How an account stands, for operators.
public struct AccountStatus: Sendable {
    /// The operator's name for it.
    public let name: String
    /// What it is for.
    public let kind: Account.Kind
    let condition: AccountCondition.State
    let isHeld: Bool

    /// Whether the platform would take calls of it, as far as it has said.
    public var isUsable: Bool { self.condition == .usable }

    /// One word: `usable`, `held` (its breaker keeps calls back), `refused`, `disabled` or `exhausted`.
    public var state: String { self.isUsable && self.isHeld ? "held" : self.condition.rawValue }
}
