internal import EventLoop
internal import GatewayCore
internal import HTTPServer
internal import HTTPWire
internal import Store
internal import Telemetry
internal import UpstreamClient

/// A running daemon: `start` brings everything up in order or nothing, `shutDown` ends it.
struct RunningDaemon: Sendable {
    /// Where it can be reached.
    let addresses: Addresses
    let logger: Logger
    /// Reads the configuration again.
    let reload: ConfigurationReload
    private let assembly: GatewayAssembly
    private let server: HTTPServer
    private let readiness: Readiness
    private let services: ServiceGroup
    private let drainLimit: Duration

    /// How long answers may take to leave when the time to drain is over.
    private static let farewell: Duration = .seconds(2)

    /// Starts a daemon.
    ///
    /// - Parameter rereading: Reads the configuration and its secrets again.
    /// - Throws: ``VerbFailure`` when a part cannot be started; what had begun has been ended then.
    static func start(
        _ configuration: Configuration,
        secrets: ResolvedSecrets,
        supervisor: Supervisor,
        log: LogOutput,
        rereading: @escaping ConfigurationReload.Source
    ) async throws(VerbFailure) -> RunningDaemon {
        let services = ServiceGroup()
        do {
            return try await Self.start(
                configuration,
                secrets: secrets,
                supervisor: supervisor,
                log: log,
                rereading: rereading,
                services: services
            )
        } catch {
            await services.stop()
            throw Self.failure(error)
        }
    }

    private static func start(
        _ configuration: Configuration,
        secrets: ResolvedSecrets,
        supervisor: Supervisor,
        log: LogOutput,
        rereading: @escaping ConfigurationReload.Source,
        services: ServiceGroup
    ) async throws -> RunningDaemon {
        let logger = log.logger
        let descriptors = DescriptorLimit.raise(configuration.limits, logger: logger)
        let registry = MetricsRegistry()
        ProcessMetrics.register(in: registry)
        DaemonMetrics.register(logger, in: registry)
        let reporting = Task { await log.report() }
        await services.add("log") {
            reporting.cancel()
            await reporting.value
        }
        // The loops end last: tasks on them see to it that what the platform answered is still stored.
        let loops = try await Self.makeLoops(configuration.loops, services: services)
        let watch = LoopWatch(
            loops: loops.gateway + [loops.operations],
            watchdog: supervisor.watchdog,
            lagLimit: configuration.limits.loopLag,
            logger: logger,
            onTurn: { if supervisor.watchdog != nil { supervisor.notify(.watchdog) } }
        )
        watch.start()
        await services.add("watch") { await watch.stop() }
        DaemonMetrics.register(watch, in: registry)
        let store = try Store.open(configuration.storeConfiguration(readers: loops.gateway.count + 1))
        await services.add("store") { await store.close() }
        DaemonMetrics.register(store, in: registry)
        DaemonMetrics.registerWrites(of: store, in: registry)
        let upstream = try UpstreamClient(
            configuration: configuration.upstreamClient(),
            loops: loops.gateway,
            logger: logger
        )
        let assembly = try GatewayAssembly(
            configuration: configuration,
            secrets: secrets,
            store: store,
            transport: upstream,
            logger: logger,
            registry: registry,
            isLate: { watch.isLate }
        )
        DaemonMetrics.register(assembly.gateway, in: registry)
        DaemonMetrics.register(assembly.calls, in: registry)
        DaemonMetrics.register(accounts: assembly.accounts, in: registry)
        DaemonMetrics.register(assembly.bodies, limits: configuration.limits, in: registry)
        let disk = DiskWatch(
            directory: configuration.stateDirectory,
            threshold: configuration.limits.minimumFreeDisk.bytes,
            calls: assembly.calls,
            logger: logger
        )
        DaemonMetrics.register(disk, in: registry)
        let watching = Task { await disk.run() }
        await services.add("disk") { watching.cancel() }
        let flushing = Task { await UsageFlushing(calls: assembly.calls, logger: logger).run() }
        await services.add("usage") {
            flushing.cancel()
            await flushing.value
        }
        await services.add("gateway") {
            // Ending the exchanges lets their calls land: what was sent without an answer is marked so.
            await upstream.shutdown()
            await Self.patiently(.seconds(2)) { await assembly.calls.drain() }
            assembly.calls.stop()
        }
        let retention = Task { await Retention(store: store, erasures: assembly.erasures, logger: logger).run() }
        await services.add("retention") {
            retention.cancel()
            await retention.value
        }
        let sessions = Task { await assembly.realtime.watch() }
        await services.add("realtime") {
            sessions.cancel()
            await sessions.value
        }
        let readiness = Readiness(
            isStoreWritable: { assembly.calls.isStoreWritable },
            isDiskLow: { assembly.calls.isDiskLow },
            areLoopsTurning: { watch.isTurning },
            accounts: { assembly.accounts.flatMap { $0.status() } }
        )
        let server = HTTPServer(
            configuration: try configuration.gatewayServer(supervisor.sockets, descriptors),
            loops: loops.gateway,
            responder: assembly.gateway,
            logger: logger
        )
        await services.add("listeners") { await server.stop() }
        let gateway = try await server.start()
        DaemonMetrics.register(server, in: registry)
        let operations = HTTPServer(
            configuration: try configuration.operationsServer(supervisor.sockets),
            loops: [loops.operations],
            responder: OperationsResponder(readiness: readiness, registry: registry),
            logger: logger
        )
        let reload = ConfigurationReload(
            running: configuration,
            secrets: secrets,
            source: rereading,
            assembly: assembly,
            listeners: LiveListeners(gateway: server, operations: operations, sockets: supervisor.sockets),
            supervisor: supervisor,
            logger: logger
        )
        let control = HTTPServer(
            configuration: configuration.controlServer(),
            loops: [loops.operations],
            responder: ControlResponder(
                administration: Administration(
                    store: store,
                    masters: assembly.masters,
                    running: assembly,
                    reload: reload
                ),
                logger: logger
            ),
            logger: logger
        )
        await services.add("control") { await control.stop() }
        _ = try await control.start()
        await services.add("operations") { await operations.stop() }
        guard let operationsAddress = try await operations.start().first else {
            throw VerbFailure(.software, "the operations listener has no address")
        }
        readiness.enter(.serving)
        return RunningDaemon(
            addresses: Addresses(gateway: gateway, operations: operationsAddress),
            logger: logger,
            reload: reload,
            assembly: assembly,
            server: server,
            readiness: readiness,
            services: services,
            drainLimit: configuration.drain
        )
    }

    /// Ends the daemon.
    ///
    /// - Parameter hurry: Resolved when running calls shall not be waited for any longer.
    func shutDown(hurry: OneShot<Int32>) async {
        self.readiness.enter(.draining)
        self.assembly.gateway.beginDraining()
        let calls = self.assembly.calls
        let start = ContinuousClock.now
        let isDrained = OneShot<Bool>()
        let draining = Task {
            await self.server.drain(within: self.drainLimit)
            // A call whose client has left still runs, and is worth waiting for: it is paid for.
            let rest = self.drainLimit - (ContinuousClock.now - start)
            if rest > .zero { await Self.patiently(rest) { await calls.drain() } }
            isDrained.resolve(true)
        }
        let watching = Task {
            _ = await hurry.wait()
            isDrained.resolve(false)
        }
        let isInOrder = await isDrained.wait()
        draining.cancel()
        watching.cancel()
        let metadata: LogMetadata = [
            "calls.running": .int(calls.runningCount),
            "connections.open": .int(self.server.statistics.openConnections),
            "duration_ms": .milliseconds(ContinuousClock.now - start),
        ]
        if !isInOrder {
            self.logger.warning("stopping at once", metadata)
        } else if calls.runningCount > 0 {
            self.logger.warning("drain time is over, running calls are cut", metadata)
        } else {
            self.logger.info("drained", metadata)
        }
        // Who still waits is told, before the exchanges are dropped: the rows of what was sent stay.
        calls.cut()
        await self.server.drain(within: Self.farewell)
        await self.services.stop()
        self.logger.notice("stopped")
    }

    // MARK: - Parts

    private static func makeLoops(
        _ wanted: Int,
        services: ServiceGroup
    ) async throws -> (gateway: [EventLoop], operations: EventLoop) {
        let count = wanted == 0 ? Processors.count : wanted
        var loops: [EventLoop] = []
        // The last one is for operations and control, which answer even when all others are busy.
        for index in 0...count {
            let loop = try EventLoop(index: index)
            await services.add("loop") { loop.stop() }
            loops.append(loop)
        }
        return (Array(loops.dropLast()), loops[count])
    }

    /// Waits for something, but not longer than given.
    private static func patiently(_ limit: Duration, _ work: @escaping @Sendable () async -> Void) async {
        let end = OneShot<Void>()
        let working = Task {
            await work()
            end.resolve(())
        }
        let timing = Task {
            try? await Task.sleep(for: limit)
            end.resolve(())
        }
        await end.wait()
        working.cancel()
        timing.cancel()
    }

    private static func failure(_ error: any Error) -> VerbFailure {
        switch error {
        case let error as VerbFailure: error
        case let error as StoreError: VerbFailure(error)
        case let error as HTTPServerError: VerbFailure(error)
        case let error as UpstreamClientError: VerbFailure(.configuration, "\(error)")
        case let error as EventLoopError: VerbFailure(.unavailable, "cannot make an event loop: \(error)")
        default: VerbFailure(.software, "an unexpected failure: \(type(of: error))")
        }
    }
}
