internal import Glibc
internal import Telemetry

/// What every process shows, under the names that Prometheus' own client libraries give it.
enum ProcessMetrics {
    /// Registers what the kernel says of this process at each scrape.
    static func register(in registry: MetricsRegistry) {
        let start = LogClock.now() / .seconds(1)
        registry.gauge("process_start_time_seconds", "Start time of the process since the Unix epoch.") { start }
        registry.gauge("process_resident_memory_bytes", "Resident memory size.") { Double(Self.residentBytes()) }
        registry.gauge("process_open_fds", "Open file descriptors.") { Double(Self.openDescriptors()) }
        registry.gauge("process_max_fds", "The most file descriptors that may be open.") {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            return Double(limit.rlim_cur)
        }
    }

    /// proc(5): the second number of `statm` is the resident set in pages.
    private static func residentBytes() -> Int {
        let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = read(descriptor, &bytes, bytes.count)
        let words = bytes.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
        guard words.count > 1 else { return 0 }
        return (Int(String(decoding: words[1], as: UTF8.self)) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The entries of `/proc/self/fd`, less the directory's own descriptor.
    private static func openDescriptors() -> Int {
        guard let directory = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(directory) }
        var count = -1
        while let entry = readdir(directory) {
            // All but "." and "..".
            if entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
        }
        return max(0, count)
    }
}
