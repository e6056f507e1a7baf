private import Glibc
internal import Telemetry

/// How many of the descriptors that the process may have open go to clients.
///
/// Idle clients must not take those by which calls reach the platform and probes the daemon: they are turned away earlier
/// then.
struct DescriptorLimit: Hashable, Sendable {
    /// Besides clients: the store, the spool, operations, pooled connections to platforms.
    private static let own = 512

    /// The most connections, at most those of the settings.
    let connections: Int
    /// The most connections beyond, which are told that there is no room.
    let shedding: Int

    /// - Parameter limit: The most descriptors of the process.
    init(_ limits: Configuration.Limits, within limit: Int) {
        // A realtime session has a connection to its platform of its own.
        let rest = min(Self.own + limits.webSockets.connections, limit / 2)
        self.connections = min(limits.connections, limit - rest)
        self.shedding = min(128, limit / 8)
    }

    /// Raises the limit to what the system allows without asking, and says so when that is too little.
    static func raise(_ limits: Configuration.Limits, logger: Logger) -> DescriptorLimit {
        let limit = Self.raise()
        let descriptors = DescriptorLimit(limits, within: limit)
        if descriptors.connections < limits.connections {
            logger.warning(
                "file descriptors are too few for limits.connections, so fewer are taken; raise ulimit -n",
                [
                    "descriptors.limit": .int(limit), "connections.wanted": .int(limits.connections),
                    "connections.maximum": .int(descriptors.connections),
                ]
            )
        }
        return descriptors
    }

    private static func raise() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1_024 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
