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
    }

    private var entries: [Entry] = []

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

    /// The descriptors in the epoll set.
    var watched: [Int32] {
        self.entries.indices.filter { self.entries[$0].isWatched }.map { Int32($0) }
    }
}
