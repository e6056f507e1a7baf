private import Glibc
internal import Telemetry

/// How many descriptors the process may have open.
enum DescriptorLimit {
    /// Besides connections: the store, the spool, connections to platforms.
    private static let own = 512

    /// Raises the limit to what the system allows without asking, and says so when that is too little.
    static func raise(for connections: Int, logger: Logger) {
        let limit = Self.raise()
        let wanted = connections + Self.own
        guard limit < wanted else { return }
        logger.warning(
            "fewer file descriptors than connections are allowed; raise ulimit -n or lower limits.connections",
            ["descriptors.limit": .int(limit), "descriptors.wanted": .int(wanted)]
        )
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
