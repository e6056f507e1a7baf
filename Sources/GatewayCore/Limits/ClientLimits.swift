/// What one client and each of its users may use.
public struct ClientLimits: Hashable, Sendable {
    /// Requests of all its users together; the default is no limit.
    public var rate: TokenBucket.Rate?
    /// Requests of each of its users; the default is no limit.
    public var userRate: TokenBucket.Rate?
    /// Calls that go to platforms at a time, waiting ones among them: paid ones, reports, audio; the default is no limit.
    public var concurrency: Int?
    /// Such calls of each of its users at a time; the default is no limit.
    public var userConcurrency: Int?
    /// Calls and audio of all its users together in a day; the default is no limit.
    public var daily = DailyQuota.Allowance()
    /// Calls and audio of each of its users in a day; the default is no limit.
    public var userDaily = DailyQuota.Allowance()
    /// The kind of account that carries its calls; the default is production.
    public var accountKind = Account.Kind.production
    /// What becomes of its realtime audio when the platform's connection breaks; the default is that it is replayed.
    public var bufferPolicy = BufferPolicy.replay
    /// Its share of the turns while calls wait for an account; the default is 1.
    public var weight = 1
    /// What is made of its recordings that cannot be scored; the default is `off`.
    public var precheck = PrecheckMode.off

    /// The defaults.
    public init() {}
}

/// The limits of all clients.
public struct LimitSettings: Hashable, Sendable {
    /// What holds for clients that are not named.
    public var defaults = ClientLimits()
    /// The limits of single clients, by name.
    public var clients: [String: ClientLimits] = [:]

    /// The defaults: no limits.
    public init() {}

    /// The limits of a client.
    func limits(of client: String) -> ClientLimits {
        self.clients[client] ?? self.defaults
    }
}
