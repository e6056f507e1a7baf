internal import FoundationEssentials
internal import Glibc
internal import HTTPServer
internal import Telemetry

/// `serve`: the daemon, from its configuration to its last log line.
struct ServeVerb: Sendable {
    /// Addresses that take the place of the configuration's.
    let listen: [String]
    /// A file for the line with the resolved addresses.
    let readyFile: String?

    func run(_ context: VerbContext) async throws(VerbFailure) {
        let (file, secrets) = try self.read(context)
        let configuration = file.configuration
        let log = try LogOutput(configuration.log, environment: context.environment)
        let logger = log.logger
        for warning in secrets.warnings {
            logger.warning("configuration", ["configuration.warning": .string(warning)])
        }
        let supervisor = Supervisor(environment: context.environment, processID: getpid())
        for socket in supervisor.sockets.unused(by: configuration.listen + [configuration.operations.listen]) {
            logger.warning(
                "a socket came with the process and nothing listens on it; name it in listen",
                ["socket.name": .string(socket.name), "socket.descriptor": .int(socket.descriptor)]
            )
        }
        let started = OneShot<RunningDaemon>()
        let signals = Signals(
            // A hang-up during the start is answered after it; what came of it stands in the log.
            onHangup: { Task { _ = try? await started.wait().reload.perform() } },
            onReopen: { log.reopen() }
        )
        let daemon = try await RunningDaemon.start(
            configuration,
            secrets: secrets,
            supervisor: supervisor,
            log: log,
            rereading: { () throws(VerbFailure) in
                let (file, secrets) = try self.read(context)
                return (file.configuration, secrets)
            }
        )
        started.resolve(daemon)
        let line = daemon.addresses.line
        try await self.announce(line, daemon: daemon, console: context.console)
        logger.notice(
            "ready",
            [
                "version": .string(Version.current.rawValue),
                "configuration.file": .string(file.path),
                "gateway.address": .string(daemon.addresses.gateway.map(\.description).joined(separator: " ")),
                "operations.address": .string(daemon.addresses.operations.description),
            ]
        )
        supervisor.notify(.ready(status: "serving"))
        let signal = await signals.stop.wait()
        await daemon.reload.end()
        supervisor.notify(.stopping(status: "draining: running calls are given \(configuration.drain)"))
        logger.notice(
            "draining",
            ["signal": .int(signal), "drain.limit_ms": .milliseconds(configuration.drain)]
        )
        await daemon.shutDown(hurry: signals.stopAtOnce)
    }

    /// Reads the configuration as the command line completes it.
    private func read(
        _ context: VerbContext
    ) throws(VerbFailure) -> (ConfigurationFile, ResolvedSecrets) {
        var file = try context.loadConfiguration()
        if !self.listen.isEmpty { try self.replaceListeners(&file) }
        return (file, try context.resolveSecrets(file))
    }

    private func replaceListeners(_ file: inout ConfigurationFile) throws(VerbFailure) {
        file.configuration.listen = self.listen
        if file.configuration.echo, let open = self.listen.first(where: { !ListenText.isLocal($0) }) {
            let message = "\(Configuration.echoRefusal); --listen \(open) does not"
            let issue = ConfigurationIssue(path: "echo", position: nil, message: message)
            throw VerbFailure(ConfigurationError(file: file.path, issues: [issue]))
        }
    }

    /// Tells scripts where the daemon is.
    private func announce(_ line: [UInt8], daemon: RunningDaemon, console: Console) async throws(VerbFailure) {
        if let readyFile = self.readyFile {
            do {
                // Written aside and renamed: whoever waits for the file finds it whole.
                try Data(line).write(to: URL(filePath: readyFile), options: .atomic)
            } catch {
                let hurry = OneShot<Int32>()
                hurry.resolve(0)
                await daemon.shutDown(hurry: hurry)
                throw VerbFailure(.cannotCreate, "cannot write the ready file \(readyFile)")
            }
        }
        console.output(line)
    }
}
