import JSONScan

extension PlatformResponder {
    /// The accounts with what they have used; nil limits are the configuration's.
    func accounts() -> [UInt8] {
        let second = self.state.unixSeconds
        let book = self.state.withLock { $0.accounts }
        var writer = JSONWriter()
        writer.object { object in
            object.array("accounts") { array in
                for account in book.accounts {
                    let used = book.usage(of: account.appKey, unixSeconds: second)
                    array.object { entry in
                        entry.member("appKey", account.appKey)
                        entry.member("secretKey", account.secretKey)
                        entry.member("bearerToken", account.bearerToken)
                        entry.member("customer", account.customer)
                        entry.member("standing", account.standing.rawValue)
                        entry.member("dailyCalls", account.dailyCalls)
                        entry.member("dailyReports", account.dailyReports)
                        entry.member("totalCalls", account.totalCalls)
                        entry.member("concurrentCalls", account.concurrentCalls)
                        entry.object("used") { usage in
                            usage.member("today", used.today)
                            usage.member("reportsToday", used.reportsToday)
                            usage.member("total", used.total)
                            usage.member("running", used.running)
                        }
                    }
                }
            }
        }
        return writer.bytes
    }

    /// Reads `{"accounts":[{"appKey":"a","secretKey":"b","standing":"frozen","dailyCalls":200}]}`.
    ///
    /// An account that is not known is added and needs a secretKey; of a known one, what is not there stays, and null
    /// takes away.
    func changeAccounts(_ body: [UInt8]) throws(PlatformError) {
        let scanner = try JSONFields(body, called: "the body").scanner
        guard let list = scanner.value(at: "accounts"), list.kind == .array else {
            throw .invalid("accounts is not an array")
        }
        var book = self.state.withLock { $0.accounts }
        var changed: [SimulatedPlatform.Account] = []
        for element in scanner.elements(of: list) {
            let text = scanner.withBytes(of: element) { Array($0) }
            let account = try Self.account(JSONFields(text, called: "an element of accounts"), in: book)
            book[account.appKey] = account
            changed.append(account)
        }
        let accounts = changed
        self.state.withLock { contents in
            for account in accounts { contents.accounts[account.appKey] = account }
        }
    }

    private static func account(
        _ fields: JSONFields,
        in book: AccountBook
    ) throws(PlatformError) -> SimulatedPlatform.Account {
        guard let appKey = try fields.string("appKey"), !appKey.isEmpty else { throw .invalid("appKey is missing") }
        let secretKey = try fields.string("secretKey")
        let made = secretKey.map { SimulatedPlatform.Account(appKey: appKey, secretKey: $0) }
        guard var account = book[appKey] ?? made else { throw .invalid("a new account needs a secretKey") }
        if let secretKey { account.secretKey = secretKey }
        func has(_ name: String) -> Bool { fields.scanner.value(at: name) != nil }
        if has("bearerToken") { account.bearerToken = try fields.string("bearerToken") }
        if has("customer") { account.customer = try fields.string("customer") }
        if has("standing") {
            let standings = SimulatedPlatform.Account.Standing.allCases.map(\.rawValue)
            let name = try fields.string("standing", of: standings)
            account.standing = name.flatMap { SimulatedPlatform.Account.Standing(rawValue: $0) } ?? .active
        }
        let range = 0...Int(Int32.max)
        if has("dailyCalls") { account.dailyCalls = try fields.integer("dailyCalls", in: range) }
        if has("dailyReports") { account.dailyReports = try fields.integer("dailyReports", in: range) }
        if has("totalCalls") { account.totalCalls = try fields.integer("totalCalls", in: range) }
        if has("concurrentCalls") { account.concurrentCalls = try fields.integer("concurrentCalls", in: range) }
        return account
    }
}
