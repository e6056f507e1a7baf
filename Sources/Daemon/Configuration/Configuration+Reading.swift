internal import GatewayCore

/// Names, ranges and relations of all settings, in one place.
extension Configuration {
    /// Reads a configuration.
    ///
    /// - Parameters:
    ///   - bytes: The file's content, JSON5 in UTF-8.
    ///   - file: The file's name for messages.
    /// - Throws: ``ConfigurationError`` with everything that is wrong.
    init(reading bytes: [UInt8], file: String) throws(ConfigurationError) {
        let report = ConfigurationReport()
        self.init()
        do throws(JSON5SyntaxError) {
            let document = try JSON5Reader.read(bytes)
            for duplicate in document.duplicates {
                report.add(nil, duplicate.position, duplicate.message)
            }
            var root = ConfigurationObject(document.root, path: "", report: report)
            self.read(&root)
            root.refuseUnknownKeys()
        } catch {
            report.add(nil, error.position, error.message)
        }
        let issues = report.allIssues()
        guard issues.isEmpty else { throw ConfigurationError(file: file, issues: issues) }
    }

    /// The path of every setting, for instance `limits.headTimeout`.
    static func settingPaths() -> [String] {
        let report = ConfigurationReport()
        var configuration = Configuration()
        var root = ConfigurationObject(nil, path: "", report: report)
        configuration.read(&root)
        return report.knownPaths
    }

    mutating func read(_ root: inout ConfigurationObject) {
        self.readListeners(&root)
        root.text("stateDirectory", into: &self.stateDirectory, fault: PathText.fault)
        root.integer("loops", into: &self.loops, in: 0...256)
        root.object("log") { log in
            log.choice("level", into: &self.log.level)
            log.choice("format", into: &self.log.format)
            log.text("file", into: &self.log.file, fault: PathText.fault)
            log.integer("linesPerSecond", into: &self.log.linesPerSecond, in: 1...1_000_000)
        }
        root.boolean("echo", into: &self.echo)
        root.duration("drain", into: &self.drain, in: .zero ... .seconds(3_600))
        root.object("secrets") { self.secrets.read(&$0) }
        root.object("limits") { self.limits.read(&$0) }
        root.object("store") { self.store.read(&$0) }
        root.object("yugu") { self.yugu.read(&$0) }
        self.checkRelations(root)
    }

    private mutating func readListeners(_ root: inout ConfigurationObject) {
        if let addresses = root.texts("listen") {
            self.listen = addresses
            for address in addresses {
                if let fault = ListenText.fault(address) { root.refuse("listen", fault) }
            }
            if addresses.isEmpty { root.refuse("listen", "at least one address is wanted") }
            if Set(addresses).count < addresses.count { root.refuse("listen", "an address stands here twice") }
        }
        if let proxies = root.texts("trustedProxies") {
            self.trustedProxies = proxies
            for proxy in proxies where AddressRange(proxy) == nil {
                root.refuse("trustedProxies", "\(AddressRange.forms), not \"\(proxy)\"")
            }
        }
        root.object("operations") { operations in
            operations.text("listen", into: &self.operations.listen, fault: ListenText.fault)
        }
    }

    private func checkRelations(_ root: ConfigurationObject) {
        self.checkAccountKinds(root.report)
        if self.echo, let open = self.listen.first(where: { !ListenText.isLocal($0) }) {
            root.refuse("echo", "\(Self.echoRefusal); \"\(open)\" in \"listen\" does not")
        }
        if self.listen.contains(self.operations.listen), !ListenText.hasAnyPort(self.operations.listen) {
            root.refuse("operations", "\"listen\" is an address that the gateway listens on already")
        }
    }

    /// Refuses clients of accounts that do not exist.
    private func checkAccountKinds(_ report: ConfigurationReport) {
        guard !self.yugu.accounts.isEmpty else { return }
        let kinds = Set(self.yugu.accounts.map(\.kind))
        let clients = self.limits.clients
        let chosen =
            [("limits.client.accountKind", clients.defaults.accountKind)]
            + clients.clients.sorted { $0.key < $1.key }.map {
                ("limits.clients.\($0.key).accountKind", $0.value.accountKind)
            }
        for (path, kind) in chosen where !kinds.contains(kind) {
            let others = kinds.map { "\"\($0.rawValue)\"" }.sorted().joined(separator: ", ")
            let message = "no account in yugu.accounts has the kind \"\(kind.rawValue)\"; there is \(others)"
            report.add(path, nil, message)
        }
    }

    /// Why `/v1/echo` is not served to the world.
    static let echoRefusal = "/v1/echo asks for no credentials and needs listeners that stay on this machine"
}

extension Configuration.Secrets {
    fileprivate mutating func read(_ secrets: inout ConfigurationObject) {
        secrets.secret("master", into: &self.master)
        secrets.secret("previousMaster", into: &self.previousMaster)
        secrets.secret("upstreamKey", into: &self.upstreamKey)
        for (key, reference) in [("master", self.master), ("upstreamKey", self.upstreamKey)]
        where reference == nil && !secrets.has(key) {
            secrets.refuse(
                key,
                "this secret has no default; make one with `openssl rand -hex 32 > FILE` and write \(SecretReference.forms)"
            )
        }
        if let master = self.master, master == self.upstreamKey {
            secrets.refuse(
                "upstreamKey",
                "this must be another secret than \"master\"; `openssl rand -hex 32` makes one"
            )
        }
    }
}

extension Configuration.Limits {
    fileprivate mutating func read(_ limits: inout ConfigurationObject) {
        limits.integer("connections", into: &self.connections, in: 1...1_000_000)
        limits.integer("requests", into: &self.requests, in: 1...1_000_000)
        limits.duration("loopLag", into: &self.loopLag, in: .milliseconds(10) ... .seconds(60))
        limits.size("requestLine", into: &self.requestLine, in: .kibibytes(1) ... .kibibytes(64))
        limits.size("headBytes", into: &self.headBytes, in: .kibibytes(1) ... .mebibytes(1))
        limits.integer("fields", into: &self.fields, in: 10...1_000)
        limits.duration("headTimeout", into: &self.headTimeout, in: .milliseconds(100) ... .seconds(600))
        limits.duration("bodyIdleTimeout", into: &self.bodyIdleTimeout, in: .milliseconds(100) ... .seconds(600))
        limits.duration("bodyTimeout", into: &self.bodyTimeout, in: .milliseconds(100) ... .seconds(3_600))
        limits.size("bodyRate", into: &self.bodyRate, in: .bytes(0) ... .mebibytes(1))
        limits.duration("bodyGrace", into: &self.bodyGrace, in: .zero ... .seconds(600))
        limits.duration("keepAliveTimeout", into: &self.keepAliveTimeout, in: .milliseconds(100) ... .seconds(3_600))
        limits.duration("writeTimeout", into: &self.writeTimeout, in: .milliseconds(100) ... .seconds(600))
        limits.object("webSockets") { self.webSockets.read(&$0) }
        limits.size("uploadBytes", into: &self.uploadBytes, in: .kibibytes(64) ... .gibibytes(1))
        limits.size("memoryBody", into: &self.memoryBody, in: .bytes(0) ... .mebibytes(64))
        limits.size("memoryBudget", into: &self.memoryBudget, in: .mebibytes(16) ... .gibibytes(64))
        limits.size("spoolBudget", into: &self.spoolBudget, in: .bytes(0) ... .gibibytes(4_096))
        limits.size("minimumFreeDisk", into: &self.minimumFreeDisk, in: .bytes(0) ... .gibibytes(4_096))
        self.clients.read(&limits)
        limits.duration("dayOffset", into: &self.dayOffset, in: .zero ... .milliseconds(86_399_999))
        limits.size("unprovenBudget", into: &self.unprovenBudget, in: .mebibytes(1) ... .gibibytes(64))
        limits.duration("unprovenTimeout", into: &self.unprovenTimeout, in: .milliseconds(100) ... .seconds(3_600))
        limits.duration("signatureWindow", into: &self.signatureWindow, in: .seconds(1) ... .seconds(3_600))
        limits.integer("failedCredentials", into: &self.failedCredentials, in: 1...1_000_000)
        if self.requestLine > self.headBytes {
            limits.refuse("requestLine", "\"\(self.requestLine)\" is more than \"headBytes\", \"\(self.headBytes)\"")
        }
        // A client's share of what there is for uploads.
        if self.memoryBody.bytes > self.memoryBudget.bytes / 16 * 3 {
            limits.refuse(
                "memoryBody",
                "\"\(self.memoryBody)\" is more than three sixteenths of \"memoryBudget\", \"\(self.memoryBudget)\""
            )
        }
    }
}

extension Configuration.Keeping {
    fileprivate mutating func read(_ store: inout ConfigurationObject) {
        // Under 24 h the platform would still know a key that we have forgotten.
        store.duration("keyRetention", into: &self.keyRetention, in: .days(1) ... .days(3_650))
        store.duration("recordRetention", into: &self.recordRetention, in: .days(1) ... .days(3_650))
        store.duration("unknownRetention", into: &self.unknownRetention, in: .days(1) ... .days(3_650))
        store.duration("usageRetention", into: &self.usageRetention, in: .days(1) ... .days(3_650))
        store.duration("auditRetention", into: &self.auditRetention, in: .days(1) ... .days(3_650))
        store.size("answerCache", into: &self.answerCache, in: .bytes(0) ... .gibibytes(16))
    }
}

extension Configuration.Yugu {
    fileprivate mutating func read(_ yugu: inout ConfigurationObject) {
        yugu.text("baseURL", into: &self.baseURL, fault: BaseURLText.fault)
        self.baseURL = BaseURLText.withoutTrailingSlash(self.baseURL)
        yugu.text("certificateAuthorityFile", into: &self.certificateAuthorityFile, fault: PathText.fault)
        yugu.duration("connectTimeout", into: &self.connectTimeout, in: .milliseconds(10) ... .seconds(120))
        yugu.duration("attemptTimeout", into: &self.attemptTimeout, in: .milliseconds(10) ... .seconds(660))
        yugu.duration("totalTimeout", into: &self.totalTimeout, in: .milliseconds(10) ... .seconds(3_600))
        yugu.integer("attempts", into: &self.attempts, in: 1...10)
        yugu.object("retry") { self.retry.read(&$0) }
        yugu.size("answerBytes", into: &self.answerBytes, in: .kibibytes(64) ... .mebibytes(256))
        yugu.duration("waitForWinner", into: &self.waitForWinner, in: .zero ... .seconds(600))
        // The platform forgets keys after 24 h; later a second sending would be a second bill.
        yugu.duration("unknownReplayWindow", into: &self.unknownReplayWindow, in: .zero ... .seconds(86_340))
        yugu.duration("dayOffset", into: &self.dayOffset, in: .zero ... .milliseconds(86_399_999))
        yugu.duration("exhaustedTime", into: &self.exhaustedTime, in: .milliseconds(1) ... .days(1))
        self.readAccounts(&yugu)
        yugu.object("breaker") { self.breaker.read(&$0) }
        yugu.object("queue") { queue in
            queue.integer("length", into: &self.queue.length, in: 0...100_000)
            queue.duration("wait", into: &self.queue.wait, in: .zero ... .seconds(600))
        }
        yugu.object("audio") { self.audio.read(&$0) }
        yugu.object("realtime") { self.realtime.read(&$0) }
        if self.attemptTimeout > self.totalTimeout {
            yugu.refuse("attemptTimeout", "one attempt may take longer than \"totalTimeout\" for all of them")
        }
        if self.unknownReplayWindow + self.totalTimeout > .seconds(86_400) {
            let why = "with \"totalTimeout\" it is more than the 24 h after which keys are forgotten"
            yugu.refuse("unknownReplayWindow", why)
        }
    }

    private mutating func readAccounts(_ yugu: inout ConfigurationObject) {
        var count = 0
        let accounts = yugu.objects("accounts") { account in
            count += 1
            return Configuration.Account.read(&account)
        }
        guard let accounts, count > 0 else {
            // A value that is no list has been reported already.
            if accounts != nil || !yugu.has("accounts") {
                yugu.refuse("accounts", "no account at the platform; \(Self.accountForm)")
            }
            return
        }
        self.accounts = accounts
        for (key, values) in [("name", accounts.map(\.name)), ("appKey", accounts.map(\.appKey))] {
            if Set(values).count < values.count { yugu.refuse("accounts", "two accounts have the same \"\(key)\"") }
        }
    }

    private static let accountForm = #"write accounts: [{name: "main", appKey: "…", secretKey: {file: "PATH"}}]"#
}

extension Configuration.Retry {
    fileprivate mutating func read(_ retry: inout ConfigurationObject) {
        retry.duration("initialDelay", into: &self.initialDelay, in: .milliseconds(1) ... .seconds(60))
        retry.duration("maximumDelay", into: &self.maximumDelay, in: .milliseconds(1) ... .seconds(300))
        retry.fraction("jitter", into: &self.jitter, in: 0...1)
        retry.duration("maximumRetryAfter", into: &self.maximumRetryAfter, in: .zero ... .seconds(300))
        if self.initialDelay > self.maximumDelay {
            retry.refuse("initialDelay", "the first wait is longer than \"maximumDelay\"")
        }
    }
}

extension CircuitBreaker.Configuration {
    fileprivate mutating func read(_ breaker: inout ConfigurationObject) {
        breaker.duration("window", into: &self.window, in: .milliseconds(100) ... .seconds(600))
        breaker.integer("minimumCalls", into: &self.minimumCalls, in: 1...1_000_000)
        breaker.fraction("failureRatio", into: &self.failureRatio, in: 0.01...1)
        breaker.duration("openTime", into: &self.openTime, in: .milliseconds(10) ... .seconds(600))
        breaker.duration("maximumOpenTime", into: &self.maximumOpenTime, in: .milliseconds(10) ... .seconds(3_600))
        breaker.duration("probeTime", into: &self.probeTime, in: .milliseconds(10) ... .seconds(660))
        if self.openTime > self.maximumOpenTime {
            breaker.refuse("openTime", "the first time is longer than \"maximumOpenTime\"")
        }
    }
}

extension Configuration.Account {
    fileprivate static func read(_ account: inout ConfigurationObject) -> Configuration.Account? {
        var name = ""
        var appKey = ""
        var secretKey: SecretReference?
        var kind = GatewayCore.Account.Kind.production
        var concurrency = 64
        var daily = DailyQuota.Allowance()
        account.text("name", into: &name) { NameText.fault($0) }
        account.text("appKey", into: &appKey) { text in
            text.isEmpty || text.utf8.contains { $0 <= 0x20 || $0 >= 0x7F }
                ? "visible ASCII characters are wanted" : nil
        }
        account.secret("secretKey", into: &secretKey)
        account.choice("kind", into: &kind)
        // So many the platform lets a customer's sandbox keys run (contract yugu, section 13).
        if kind == .sandbox { concurrency = 2 }
        account.integer("concurrency", into: &concurrency, in: 1...10_000)
        account.object("daily") { daily.read(&$0) }
        for key in ["name", "appKey", "secretKey"] where !account.has(key) {
            account.refuse(key, "every account needs this")
        }
        guard !name.isEmpty, !appKey.isEmpty, let secretKey else { return nil }
        return Configuration.Account(
            name: name,
            appKey: appKey,
            secretKey: secretKey,
            kind: kind,
            concurrency: concurrency,
            daily: daily
        )
    }
}
