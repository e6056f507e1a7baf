import CLinux
import COpenSSLTLS
import Glibc
import Synchronization

/// A TLS listener in front of the simulator's plain one: each connection is relayed by a thread of its own.
///
/// It exists so that tests can see a client verify certificates; it is small rather than fast, and no benchmark uses
/// it. What the plain side does to a connection (an early close, wrong lengths) reaches the client unchanged.
final class TLSFront: Sendable {
    /// Why it does not listen.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// The context is made once and then only read; libssl counts its references under a lock of its own.
    private struct Context: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    /// The port it listens on, at 127.0.0.1.
    let port: UInt16
    private let certificates: TestCertificates
    private let context: Context
    private let listener: Int32
    private let target: UInt16
    private let isStopped = Atomic<Bool>(false)

    /// Listens on a free port.
    ///
    /// - Parameters:
    ///   - target: The port of the plain listener at 127.0.0.1.
    ///   - days: How long its certificate is valid; less than 0 for one that has ended.
    init(to target: UInt16, days: Int = 30) throws {
        let certificates = try TestCertificates(days: days)
        guard let context = Self.makeContext(certificates) else {
            certificates.remove()
            throw Failure(description: "libssl refuses the certificates")
        }
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0, let port = Self.listen(listener) else {
            SSL_CTX_free(context)
            certificates.remove()
            throw Failure(description: "no port is free for TLS")
        }
        self.certificates = certificates
        self.context = Context(pointer: context)
        self.listener = listener
        self.port = port
        self.target = target
        Self.detach { self.acceptAll() }
    }

    /// The file with the certificate that clients have to trust.
    var authorityFile: String { self.certificates.authorityFile }

    /// Stops listening; open connections end with their plain sides.
    func stop() {
        guard !self.isStopped.exchange(true, ordering: .relaxed) else { return }
        // Wakes the thread that accepts, which closes the listener.
        shutdown(self.listener, Int32(SHUT_RDWR))
        self.certificates.remove()
    }

    deinit {
        SSL_CTX_free(self.context.pointer)
    }

    private static func makeContext(_ certificates: TestCertificates) -> OpaquePointer? {
        guard let context = SSL_CTX_new(TLS_server_method()) else { return nil }
        guard sg_require_tls12(context) == 1,
            SSL_CTX_use_certificate_chain_file(context, certificates.certificateFile) == 1,
            SSL_CTX_use_PrivateKey_file(context, certificates.keyFile, SSL_FILETYPE_PEM) == 1
        else {
            SSL_CTX_free(context)
            return nil
        }
        return context
    }

    // MARK: Sockets

    private static func withLoopback<Result>(
        _ port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func listen(_ socket: Int32) -> UInt16? {
        guard Self.withLoopback(0, { bind(socket, $0, $1) }) == 0, Glibc.listen(socket, 128) == 0 else {
            close(socket)
            return nil
        }
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
        }
        return status == 0 ? UInt16(bigEndian: address.sin_port) : nil
    }

    private func acceptAll() {
        while true {
            let client = accept(self.listener, nil, nil)
            if client >= 0 {
                Self.detach { self.serve(client) }
            } else if self.isStopped.load(ordering: .relaxed) || (errno != EINTR && errno != ECONNABORTED) {
                break
            }
        }
        close(self.listener)
    }

    private func serve(_ client: Int32) {
        defer { close(client) }
        // A client that never finishes its handshake must not keep the thread for ever.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard let session = SSL_new(self.context.pointer) else { return }
        defer { SSL_free(session) }
        guard SSL_set_fd(session, client) == 1, SSL_accept(session) == 1 else { return }
        let plain = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard plain >= 0 else { return }
        defer { close(plain) }
        guard Self.withLoopback(self.target, { connect(plain, $0, $1) }) == 0 else { return }
        Self.relay(session, client, plain)
        SSL_shutdown(session)
    }

    /// Carries bytes both ways until the plain side has ended.
    private static func relay(_ session: OpaquePointer, _ client: Int32, _ plain: Int32) {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        var clientIsOpen = true
        while true {
            var sockets = [
                pollfd(fd: clientIsOpen ? client : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: plain, events: Int16(POLLIN), revents: 0),
            ]
            // What libssl has decrypted already is not reported by the socket.
            let isPending = clientIsOpen && SSL_pending(session) > 0
            guard poll(&sockets, 2, isPending ? 0 : -1) >= 0 || errno == EINTR else { return }
            if isPending || sockets[0].revents != 0 {
                let count = SSL_read(session, &buffer, Int32(buffer.count))
                if count > 0 {
                    guard Self.sendAll(plain, buffer[..<Int(count)]) else { return }
                } else {
                    clientIsOpen = false
                    shutdown(plain, Int32(SHUT_WR))
                }
            }
            if sockets[1].revents != 0 {
                let count = recv(plain, &buffer, buffer.count, 0)
                guard count > 0, SSL_write(session, buffer, Int32(count)) > 0 else { return }
            }
        }
    }

    private static func sendAll(_ socket: Int32, _ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    // MARK: Threads

    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Runs something that blocks on a thread of its own.
    private static func detach(_ run: @escaping @Sendable () -> Void) {
        let work = Unmanaged.passRetained(Work(run))
        var thread = pthread_t()
        let status = pthread_create(
            &thread,
            nil,
            { context in
                if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            },
            work.toOpaque()
        )
        guard status == 0 else {
            work.release()
            return
        }
        pthread_detach(thread)
    }
}
