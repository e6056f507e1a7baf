internal import Cryptography
internal import GatewayCore
internal import Telemetry

/// Reads the configuration again while the daemon runs, and makes live what can change without a restart.
///
/// Reloads come one after the other, and one that waits for its turn serves all who ask meanwhile.
actor ConfigurationReload {
    /// Reads the configuration and everything that it refers to, with all its checks.
    typealias Source = @Sendable () throws(VerbFailure) -> (Configuration, ResolvedSecrets)

    /// What a reload came to.
    struct Report: Sendable {
        /// The settings that took effect, also when only the secret did that they refer to.
        let changed: [String]
        /// The settings that differ from what runs, and need a restart.
        let needRestart: [String]
    }

    private typealias Outcome = Result<Report, VerbFailure>

    /// The youngest reload.
    private var last: Task<Outcome, Never>?
    /// The same while it has not begun to read.
    private var waiting: Task<Outcome, Never>?
    private var hasEnded = false
    /// What runs.
    private var running: Configuration
    private var secrets: ResolvedSecrets
    private let source: Source
    private let assembly: GatewayAssembly
    private let listeners: LiveListeners
    private let supervisor: Supervisor
    private let logger: Logger

    init(
        running: Configuration,
        secrets: ResolvedSecrets,
        source: @escaping Source,
        assembly: GatewayAssembly,
        listeners: LiveListeners,
        supervisor: Supervisor,
        logger: Logger
    ) {
        self.running = running
        self.secrets = secrets
        self.source = source
        self.assembly = assembly
        self.listeners = listeners
        self.supervisor = supervisor
        self.logger = logger
    }

    /// Reads and applies, and tells the service manager.
    ///
    /// - Throws: ``VerbFailure`` with every fault; nothing has changed then.
    func perform() async throws(VerbFailure) -> Report {
        if let waiting = self.waiting { return try await waiting.value.get() }
        let before = self.last
        let task = Task {
            _ = await before?.value
            self.waiting = nil
            return await self.reload()
        }
        self.last = task
        self.waiting = task
        return try await task.value.get()
    }

    /// Finishes a reload that runs, and refuses those that come: a daemon that stops does not get ready again.
    func end() async {
        self.hasEnded = true
        _ = await self.last?.value
    }

    private func reload() async -> Outcome {
        guard !self.hasEnded else { return .failure(VerbFailure(.unavailable, "the gateway is shutting down")) }
        self.supervisor.notify(.reloading)
        do throws(VerbFailure) {
            let report = try await self.adopt()
            self.supervisor.notify(.ready(status: "serving"))
            return .success(report)
        } catch {
            self.logger.error(
                "configuration refused; the old one stays",
                ["configuration.faults": .string(error.lines.joined(separator: "\n"))]
            )
            // What ran before runs on: that is a ready daemon, too.
            self.supervisor.notify(.ready(status: "serving by the old configuration; the new one was refused"))
            return .failure(error)
        }
    }

    private func adopt() async throws(VerbFailure) -> Report {
        let (next, secrets) = try self.source()
        for warning in secrets.warnings {
            self.logger.warning("configuration", ["configuration.warning": .string(warning)])
        }
        // A master without overlap would end every token and signature at once: that is for a restart.
        let isRotation = [secrets.master, secrets.previousMaster].contains(self.secrets.master)
        var adopted = self.running
        adopted.adoptLiveSettings(of: next)
        if isRotation {
            adopted.secrets.master = next.secrets.master
            adopted.secrets.previousMaster = next.secrets.previousMaster
        }
        var changed = adopted.differences(from: self.running)
        var needRestart = next.differences(from: adopted)
        func note(_ path: String, in paths: inout [String], if isChanged: Bool) {
            if isChanged, !paths.contains(path) { paths.append(path) }
        }
        note("yugu.accounts", in: &changed, if: secrets.accounts != self.secrets.accounts)
        for (path, isChanged) in [
            ("secrets.master", secrets.master != self.secrets.master),
            ("secrets.previousMaster", secrets.previousMaster != self.secrets.previousMaster),
        ] {
            if isRotation {
                note(path, in: &changed, if: isChanged)
            } else {
                note(path, in: &needRestart, if: isChanged)
            }
        }
        note("secrets.upstreamKey", in: &needRestart, if: secrets.upstreamKey != self.secrets.upstreamKey)
        if adopted.listen != self.running.listen || adopted.operations != self.running.operations {
            try await self.listeners.follow(adopted)
        }
        self.apply(adopted, secrets)
        if isRotation {
            self.assembly.masters.replace(current: secrets.master, previous: secrets.previousMaster)
            self.secrets.master = secrets.master
            self.secrets.previousMaster = secrets.previousMaster
        }
        self.logger.notice(
            "configuration reloaded",
            [
                "configuration.changed": .string(changed.joined(separator: " ")),
                "configuration.need_restart": .string(needRestart.joined(separator: " ")),
            ]
        )
        return Report(changed: changed, needRestart: needRestart)
    }

    /// Nothing here can fail: all of it has been checked, and what can fail has been done.
    private func apply(_ next: Configuration, _ secrets: ResolvedSecrets) {
        if next.limits.connections > self.running.limits.connections {
            DescriptorLimit.raise(for: next.limits.connections, logger: self.logger)
        }
        self.listeners.adoptLimits(of: next)
        self.assembly.gateway.change(
            proxies: next.trustedProxies.compactMap(AddressRange.init),
            maximumRequests: next.limits.requests
        )
        self.assembly.limiter.change(to: next.limits.clients)
        self.assembly.yuguAccounts.replace(with: GatewayAssembly.accounts(next.yugu, secrets))
        self.logger.setLevel(next.log.loggerLevel)
        self.logger.setLinesPerSecond(next.log.linesPerSecond)
        self.running = next
        self.secrets.accounts = secrets.accounts
    }
}

extension Configuration {
    /// Takes over what can change while the daemon runs.
    fileprivate mutating func adoptLiveSettings(of next: Configuration) {
        // The route that asks for no credentials goes only with a restart, and until then it stays on this machine.
        if !self.echo || next.listen.allSatisfy(ListenText.isLocal) { self.listen = next.listen }
        self.operations = next.operations
        self.trustedProxies = next.trustedProxies
        self.limits.adoptLiveLimits(of: next.limits)
        self.log.level = next.log.level
        self.log.linesPerSecond = next.log.linesPerSecond
        self.yugu.accounts = next.yugu.accounts
        self.yugu.queue = next.yugu.queue
        self.yugu.breaker = next.yugu.breaker
        self.yugu.exhaustedTime = next.yugu.exhaustedTime
    }
}

extension Configuration.Limits {
    /// Takes over what holds for whatever begins from now on; budgets and what WebSocket connections live by stay.
    fileprivate mutating func adoptLiveLimits(of next: Configuration.Limits) {
        self.connections = next.connections
        self.requests = next.requests
        self.requestLine = next.requestLine
        self.headBytes = next.headBytes
        self.fields = next.fields
        self.headTimeout = next.headTimeout
        self.bodyIdleTimeout = next.bodyIdleTimeout
        self.bodyTimeout = next.bodyTimeout
        self.bodyRate = next.bodyRate
        self.bodyGrace = next.bodyGrace
        self.keepAliveTimeout = next.keepAliveTimeout
        self.writeTimeout = next.writeTimeout
        self.webSockets.connections = next.webSockets.connections
        self.clients = next.clients
    }
}
