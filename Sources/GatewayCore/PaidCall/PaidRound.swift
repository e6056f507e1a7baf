/// A realtime round whose end is a paid call: its parameters and audio have gone before, and cost nothing.
protocol PaidRound: Sendable {
    /// Sees to it that a connection to the platform stands or is being made, on an account of which a slot is taken.
    ///
    /// - Parameter carrier: The only account that may carry the round; nil leaves the choice.
    /// - Throws: Why there can be no such connection; nothing was executed.
    func board(on carrier: Account?) async throws(GatewayError) -> Account

    /// Leaves an account that it boarded, whose day is too short for it: nothing was executed.
    ///
    /// - Returns: Whether another account may carry it.
    func leave(_ account: Account) async -> Bool

    /// Sends the end, and waits for what comes of it, over as many connections as that takes.
    ///
    /// - Parameter key: The idempotency key at the platform.
    func finish(underKey key: String) async -> RoundOutcome
}

/// What the end of a round came to.
struct RoundOutcome: Sendable {
    enum Result: Sendable {
        /// A result frame.
        case answered([UInt8], AnswerFacts)
        /// The round was not evaluated, as far as its last connection tells.
        case refused(FlightResult)
        /// Nobody knows.
        case unknown
    }

    let result: Result
    /// Connections that were made.
    let attempts: Int
    /// Some connection had the end and told neither a result nor a code.
    let isUnresolved: Bool
}

/// What a round is called.
struct RoundOperation: PaidOperation {
    let name: String
    let coreType: String?
    let audioMilliseconds: Int64?
    /// The contract's sections 7.2 and 10.8: the result of a round is given again under its key.
    let isDeduplicated = true
}
