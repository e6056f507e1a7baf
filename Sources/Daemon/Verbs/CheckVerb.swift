internal import GatewayCore

/// `check`: tells what `serve` would bind and use, or everything that stands in its way.
struct CheckVerb: Sendable {
    func run(_ context: VerbContext) throws(VerbFailure) {
        let file = try context.loadConfiguration()
        let secrets = try context.resolveSecrets(file)
        let state = StateDirectoryState(of: file.configuration.stateDirectory)
        let faults = [
            ("stateDirectory", state.fault), ("log.file", file.configuration.log.file.flatMap(LogOutput.fault)),
        ]
        let issues = faults.compactMap { path, fault in
            fault.map { ConfigurationIssue(path: path, position: nil, message: $0) }
        }
        guard issues.isEmpty else { throw VerbFailure(ConfigurationError(file: file.path, issues: issues)) }
        for warning in secrets.warnings {
            context.console.complaint("speechgate: warning: \(warning)")
        }
        for line in Self.report(file, state: state) {
            context.console.print(line)
        }
    }

    /// What would be bound and used; secrets appear as the places they come from.
    static func report(_ file: ConfigurationFile, state: StateDirectoryState) -> [String] {
        let configuration = file.configuration
        let yugu = configuration.yugu
        let limits = configuration.limits
        let keeping = configuration.store
        let loops = configuration.loops == 0 ? "\(Processors.count), one per core" : "\(configuration.loops)"
        let authorities = yugu.certificateAuthorityFile ?? "the system's"
        var rows = [
            ("configuration", "\(file.path) is in order"),
            ("gateway", configuration.listen.joined(separator: ", ")),
            ("operations", configuration.operations.listen),
            ("control", configuration.controlSocketPath),
            ("state", "\(configuration.stateDirectory), \(state.description)"),
            ("loops", loops),
            (
                "log",
                "\(configuration.log.level.rawValue), \(configuration.log.format.rawValue), to "
                    + (configuration.log.file ?? "standard error")
            ),
            ("echo", configuration.echo ? "on" : "off"),
            ("drain", configuration.drain.configurationText),
        ]
        if let master = configuration.secrets.master, let upstreamKey = configuration.secrets.upstreamKey {
            rows += [("secrets.master", "\(master)"), ("secrets.upstreamKey", "\(upstreamKey)")]
        }
        rows += [
            (
                "uploads",
                "up to \(limits.uploadBytes); in memory up to \(limits.memoryBody), together "
                    + "\(limits.memoryBudget); spooled together \(limits.spoolBudget)"
            ),
            ("limits of a client", limits.clients.defaults.configurationText),
        ]
        rows += limits.clients.clients.sorted { $0.key < $1.key }.map {
            ("limits of \($0.key)", $0.value.configurationText)
        }
        rows += [
            (
                "kept",
                "keys \(keeping.keyRetention.configurationText), records "
                    + "\(keeping.recordRetention.configurationText), unknown \(keeping.unknownRetention.configurationText)"
            ),
            ("yugu", "\(yugu.baseURL), authorities: \(authorities)"),
        ]
        for account in yugu.accounts {
            let appKey = account.appKey.count > 4 ? "\(account.appKey.prefix(4))***" : "***"
            let calls = account.concurrency == 1 ? "1 call" : "\(account.concurrency) calls"
            var parts = [account.kind.rawValue, "appKey \(appKey)", "\(account.secretKey)", "\(calls) at once"]
            if let daily = account.daily.configurationText { parts.append("\(daily) a day") }
            rows.append(("account \(account.name)", parts.joined(separator: ", ")))
        }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { $0.0 + String(repeating: " ", count: width - $0.0.count + 2) + $0.1 }
    }
}
