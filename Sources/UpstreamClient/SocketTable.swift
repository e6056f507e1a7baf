/// What is known of each socket of a multi handle, indexed by descriptor.
struct SocketTable {
    /// What is known of one socket.
    struct Entry {
        /// A connection that we opened and close; else a socket of libcurl's own.
        var isConnection = false
        /// It is in the loop's epoll set.
        var isWatched = false
        /// It waits in libcurl's pool.
        var isIdle = false
        /// What it is found by, once the first request went over it.
        var ports: Ports?
    }

    /// The local and the remote port of a connection.
    ///
    /// Two connections may have both in common, with other addresses.
    struct Ports: Hashable {
        var local: Int32
        var remote: Int32
    }

    private var entries: [Entry] = []
    private var connections: [Ports: [Int32]] = [:]

    /// The entry of a descriptor.
    subscript(_ socket: Int32) -> Entry {
        get {
            Int(socket) < self.entries.count ? self.entries[Int(socket)] : Entry()
        }
        set {
            while self.entries.count <= Int(socket) { self.entries.append(Entry()) }
            self.entries[Int(socket)] = newValue
        }
    }

    /// The connections with these ports.
    func connections(with ports: Ports) -> [Int32] {
        self.connections[ports] ?? []
    }

    /// Notes what a connection is found by.
    mutating func name(_ socket: Int32, _ ports: Ports) {
        self[socket].ports = ports
        self.connections[ports, default: []].append(socket)
    }

    /// Forgets a socket.
    mutating func remove(_ socket: Int32) {
        if let ports = self[socket].ports {
            let left = self.connections(with: ports).filter { $0 != socket }
            self.connections[ports] = left.isEmpty ? nil : left
        }
        self[socket] = Entry()
    }

    /// The descriptors in the epoll set.
    var watched: [Int32] {
        self.entries.indices.filter { self.entries[$0].isWatched }.map { Int32($0) }
    }
}
