/// The accounts with what they have used of their limits.
///
/// A pure state machine: it is told the time.
struct AccountBook: Sendable {
    /// A place among a customer's evaluations, to be given back.
    struct Place: Sendable {
        fileprivate var customer: String
    }

    private let configuration: SimulatedPlatform.Configuration
    private(set) var accounts: [SimulatedPlatform.Account]
    private var calls: DailyLimit
    private var reports: DailyLimit
    private var total: [String: Int] = [:]
    /// Evaluations at this moment, by customer.
    private var running: [String: Int] = [:]

    /// The accounts of a configuration, with nothing used.
    init(_ configuration: SimulatedPlatform.Configuration) {
        self.configuration = configuration
        self.accounts = []
        let offset = Int(configuration.dayOffset.components.seconds)
        let length = Int(configuration.dayLength.components.seconds)
        self.calls = DailyLimit(offset: offset, length: length)
        self.reports = DailyLimit(offset: offset, length: length)
        for account in configuration.accounts where self[account.appKey] == nil { self.accounts.append(account) }
        if !self.accounts.isEmpty, self.accounts[0].bearerToken == nil {
            self.accounts[0].bearerToken = configuration.bearerToken
        }
    }

    /// The account with a key; to be replaced by one with the same key, or added.
    subscript(_ appKey: String) -> SimulatedPlatform.Account? {
        get { self.accounts.first { $0.appKey == appKey } }
        set {
            let index = self.accounts.firstIndex { $0.appKey == appKey }
            switch (index, newValue) {
            case (let index?, let account?): self.accounts[index] = account
            case (let index?, nil): self.accounts.remove(at: index)
            case (nil, let account?): self.accounts.append(account)
            case (nil, nil): break
            }
        }
    }

    /// The account that a bearer token stands for.
    func account(bearer token: String) -> SimulatedPlatform.Account? {
        self.accounts.first { $0.bearerToken == token }
    }

    /// What a key has used, and its customer of reports and places.
    func usage(of appKey: String, unixSeconds: Int) -> (today: Int, reportsToday: Int, total: Int, running: Int) {
        let customer = self[appKey]?.customer ?? appKey
        return (
            self.calls.used(appKey, unixSeconds: unixSeconds), self.reports.used(customer, unixSeconds: unixSeconds),
            self.total[appKey, default: 0], self.running[customer, default: 0]
        )
    }

    /// Whether an account can pay for something.
    ///
    /// - Throws: 1310 or 40902.
    func checkPayment(_ appKey: String) throws(PlatformError) {
        if let code = self[appKey]?.paymentProblem { throw PlatformError(code: code) }
    }

    /// Takes a place among the customer's evaluations, and one of the key's calls; nothing is taken when one is refused.
    ///
    /// - Throws: 42901, 2012, 42903 or 42902.
    mutating func reserve(
        _ appKey: String,
        wantsReport: Bool,
        unixSeconds: Int
    ) throws(PlatformError) -> Place {
        let account = self[appKey]
        let used = self.usage(of: appKey, unixSeconds: unixSeconds)
        let untilReset = String(self.calls.secondsLeft(unixSeconds: unixSeconds))
        func isOver(_ count: Int, _ own: Int?, _ common: Int?) -> Bool {
            (own ?? common).map { count >= $0 } ?? false
        }
        if isOver(used.running, account?.concurrentCalls, self.configuration.concurrentCalls) {
            throw PlatformError(code: 42_901)
        }
        if isOver(used.total, account?.totalCalls, self.configuration.totalCalls) {
            throw PlatformError(code: 2012)
        }
        if isOver(used.today, account?.dailyCalls, self.configuration.dailyCalls) {
            throw PlatformError(code: 42_903, retryAfter: untilReset)
        }
        if wantsReport, isOver(used.reportsToday, account?.dailyReports, self.configuration.dailyReports) {
            throw PlatformError(code: 42_902, retryAfter: untilReset)
        }
        self.calls.count(appKey, unixSeconds: unixSeconds)
        let customer = account?.customer ?? appKey
        if wantsReport { self.reports.count(customer, unixSeconds: unixSeconds) }
        self.total[appKey, default: 0] += 1
        self.running[customer, default: 0] += 1
        return Place(customer: customer)
    }

    /// Gives a place back.
    mutating func release(_ place: Place) {
        self.running[place.customer, default: 1] -= 1
    }

    /// Puts everything back to what it was at the start; evaluations that run go on running.
    mutating func reset() {
        let running = self.running
        self = AccountBook(self.configuration)
        self.running = running
    }
}
