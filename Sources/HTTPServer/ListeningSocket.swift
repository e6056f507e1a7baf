internal import CLinux
internal import Glibc

/// A socket that listens, and the trace it leaves in the file system.
final class ListeningSocket: Sendable {
    let descriptor: Int32
    let bound: BoundAddress
    // The socket file as it was made: only that one is removed in the end.
    private let file: FileIdentity?

    private struct FileIdentity: Equatable {
        var path: String
        var device: dev_t
        var inode: ino_t
    }

    private init(_ descriptor: Int32, _ bound: BoundAddress, file: FileIdentity? = nil) {
        self.descriptor = descriptor
        self.bound = bound
        self.file = file
    }

    /// Makes a socket for an address and lets it listen.
    convenience init(
        _ address: ListenAddress,
        backlog: Int32,
        unixSocketMode: UInt32
    ) throws(HTTPServerError) {
        switch address {
        case .tcp(let host, let port):
            let descriptor = try ListeningSocket.tcp(address, host: host, port: port, backlog: backlog)
            self.init(descriptor, ListeningSocket.bound(descriptor, host: host))
        case .unix(let path):
            let (descriptor, file) = try ListeningSocket.unix(path, backlog: backlog, mode: unixSocketMode)
            self.init(descriptor, BoundAddress(address: address), file: file)
        case .inherited(let descriptor):
            let bound = try ListeningSocket.inherited(descriptor)
            // A copy is used and closed. The number stays taken, so that it never means another socket.
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
            guard copy >= 0 else { throw HTTPServerError(listeningOn: "\(bound)", errorNumber: errno) }
            self.init(copy, bound)
        }
    }

    func close() {
        if let file = self.file, ListeningSocket.identity(of: file.path) == file {
            unlink(file.path)
        }
        _ = Glibc.close(self.descriptor)
    }

    // MARK: - TCP

    private static func tcp(
        _ address: ListenAddress,
        host: String,
        port: UInt16,
        backlog: Int32
    ) throws(HTTPServerError) -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &found)
        guard status == 0, let info = found else {
            let reason = gai_strerror(status).map { String(cString: $0) } ?? "error \(status)"
            throw HTTPServerError(.noSuchAddress, "cannot listen on \(address): \(reason)")
        }
        defer { freeaddrinfo(found) }
        let family = info.pointee.ai_family
        let descriptor = clinux_stream_socket(family)
        guard descriptor >= 0 else { throw HTTPServerError(listeningOn: "\(address)", errorNumber: errno) }
        // Without it a restart would have to wait for the old connections to time out.
        _ = clinux_set_option(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        // Accepted sockets inherit it.
        _ = clinux_set_option(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        if family == AF_INET6 {
            // Else [::]:80 and 0.0.0.0:80 could not both be listened on.
            _ = clinux_set_option(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1)
        }
        guard bind(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0, listen(descriptor, backlog) == 0
        else {
            throw ListeningSocket.failed(descriptor, "\(address)")
        }
        return descriptor
    }

    private static func bound(_ descriptor: Int32, host: String) -> BoundAddress {
        var (address, _) = ListeningSocket.name(of: descriptor)
        return BoundAddress(address: .tcp(host: host, port: clinux_address_port(&address)))
    }

    // MARK: - Unix domain

    private static func unix(
        _ path: String,
        backlog: Int32,
        mode: UInt32
    ) throws(HTTPServerError) -> (Int32, FileIdentity?) {
        var address = sockaddr_un()
        let length = clinux_unix_address(&address, path)
        guard length > 0 else {
            throw HTTPServerError(.invalidAddress, "cannot listen on unix:\(path): a path has 1 to 107 bytes")
        }
        try ListeningSocket.removeStale(path, address, length)
        let descriptor = clinux_stream_socket(AF_UNIX)
        guard descriptor >= 0 else { throw HTTPServerError(listeningOn: "unix:\(path)", errorNumber: errno) }
        // Nobody can connect between the two calls: the socket does not listen yet.
        guard ListeningSocket.withGeneric(address, { bind(descriptor, $0, length) }) == 0, chmod(path, mode) == 0,
            listen(descriptor, backlog) == 0
        else {
            throw ListeningSocket.failed(descriptor, "unix:\(path)")
        }
        return (descriptor, ListeningSocket.identity(of: path))
    }

    /// Removes the socket file of a process that is gone; what anybody listens on, or is no socket, stays.
    private static func removeStale(
        _ path: String,
        _ address: sockaddr_un,
        _ length: socklen_t
    ) throws(HTTPServerError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw HTTPServerError(
                .pathOccupied,
                "cannot listen on unix:\(path): a file that is no socket is there; remove it or choose another path"
            )
        }
        let probe = clinux_stream_socket(AF_UNIX)
        guard probe >= 0 else { throw HTTPServerError(listeningOn: "unix:\(path)", errorNumber: errno) }
        defer { _ = Glibc.close(probe) }
        let answer = ListeningSocket.withGeneric(address) { connect(probe, $0, length) }
        if answer != 0, errno == ECONNREFUSED {
            unlink(path)
            return
        }
        // Connected, or its queue is full: alive.
        throw HTTPServerError(listeningOn: "unix:\(path)", errorNumber: EADDRINUSE)
    }

    private static func identity(of path: String) -> FileIdentity? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return FileIdentity(path: path, device: status.st_dev, inode: status.st_ino)
    }

    // MARK: - Inherited

    private static func inherited(_ descriptor: Int32) throws(HTTPServerError) -> BoundAddress {
        var listens: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0, listens == 1,
            clinux_set_nonblocking(descriptor) == 0
        else {
            throw HTTPServerError(.notListening, "descriptor \(descriptor) is no listening socket")
        }
        var (address, length) = ListeningSocket.name(of: descriptor)
        guard Int32(address.ss_family) == AF_UNIX else {
            _ = clinux_set_option(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
            var text = [CChar](repeating: 0, count: 64)
            clinux_address_text(&address, &text, text.count)
            let host = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return BoundAddress(address: .tcp(host: host, port: clinux_address_port(&address)))
        }
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        let path = withUnsafeBytes(of: address) { bytes in
            let end = max(offset, min(Int(length), bytes.count))
            return String(decoding: bytes[offset..<end].prefix { $0 != 0 }, as: UTF8.self)
        }
        return BoundAddress(address: .unix(path: path))
    }

    // MARK: - System

    private static func name(of descriptor: Int32) -> (sockaddr_storage, socklen_t) {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return (address, length)
    }

    private static func withGeneric<Value>(
        _ address: sockaddr_un,
        _ body: (UnsafePointer<sockaddr>) -> Value
    ) -> Value {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
        }
    }

    private static func failed(_ descriptor: Int32, _ address: String) -> HTTPServerError {
        let errorNumber = errno
        _ = Glibc.close(descriptor)
        return HTTPServerError(listeningOn: address, errorNumber: errorNumber)
    }
}
