private import CLinux

/// The service manager that started the daemon, as far as the environment tells of one.
///
/// The protocol of sd_notify(3), sd_watchdog_enabled(3) and sd_listen_fds(3), spoken without their library.
struct Supervisor: Sendable {
    /// What the sockets that came with the process are called, in their order from descriptor 3 on.
    let sockets: InheritedSockets
    /// In what time a sign of life is due; nil when nobody waits for one.
    let watchdog: Duration?
    /// Where notifications go; nil when nobody wants any.
    private let address: String?

    /// - Parameters:
    ///   - environment: The process's.
    ///   - processID: The process's own: what is meant for another one is not taken.
    init(environment: [String: String], processID: Int32) {
        let isOurs = { (name: String) in environment[name].map { $0 == String(processID) } }
        self.address = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let microseconds = environment["WATCHDOG_USEC"].flatMap(Int64.init) ?? 0
        self.watchdog =
            microseconds > 0 && isOurs("WATCHDOG_PID") != false ? .microseconds(microseconds) : nil
        self.sockets =
            isOurs("LISTEN_PID") == true
            ? InheritedSockets(count: environment["LISTEN_FDS"], names: environment["LISTEN_FDNAMES"])
            : InheritedSockets()
    }

    /// Tells the manager, if there is one; one that does not listen is not waited for.
    func notify(_ notification: SupervisorNotification) {
        guard let address else { return }
        let text = Array(notification.text(monotonicMicroseconds: clinux_monotonic_microseconds()).utf8)
        _ = clinux_send_datagram(address, text, text.count)
    }
}

/// The listening sockets that the process was started with, by name.
struct InheritedSockets: Hashable, Sendable {
    /// The first one's descriptor, and all others follow it (sd_listen_fds(3)).
    private static let first: Int32 = 3
    /// More than any daemon is given; what the environment says is no reason to count to a thousand million.
    private static let maximum = 1_024

    private let names: [String]

    /// None.
    init() {
        self.names = []
    }

    /// - Parameters:
    ///   - count: The value of `LISTEN_FDS`.
    ///   - names: The value of `LISTEN_FDNAMES`: names between colons, as many as there are sockets, or fewer.
    init(count: String?, names: String?) {
        let count = min(max(0, count.flatMap { Int($0) } ?? 0), Self.maximum)
        var list = names.map { $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init) } ?? []
        list = Array(list.prefix(count))
        self.names = list + Array(repeating: "", count: count - list.count)
    }

    /// The descriptors of the sockets with a name, which several can have.
    subscript(name: String) -> [Int32] {
        self.names.indices.filter { self.names[$0] == name }.map { Self.first + Int32($0) }
    }

    /// The sockets that no listener takes, by what the settings say.
    func unused(by listen: [String]) -> [(descriptor: Int32, name: String)] {
        self.names.indices.map { (Self.first + Int32($0), self.names[$0]) }
            .filter { !listen.contains("fd:\($0.0)") && !listen.contains("fd:\($0.1)") }
    }
}
