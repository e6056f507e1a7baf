private import Foundation
private import Glibc
private import Locking

/// A TCP server on a loopback port whose connections do what a test says, byte by byte.
///
/// The script runs once for each connection, on a thread of its own, and may block. Connections that the script
/// leaves open are closed when it returns.
public final class ScriptedServer: Sendable {
    /// The port on 127.0.0.1.
    public let port: UInt16

    private let listener: Int32
    private let state = Locked(State())

    private struct State {
        var connections = 0
        var open: [Int: Int32] = [:]
        var requests: [ScriptedConnection.Request] = []
        var isStopped = false
    }

    /// Starts to listen.
    ///
    /// - Parameter script: What a connection does.
    public init(_ script: @escaping @Sendable (ScriptedConnection) -> Void) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 512) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening else {
            _ = close(listener)
            throw ScriptedServerError.cannotListen(errno)
        }
        self.listener = listener
        self.port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            self.acceptConnections(script)
        }
    }

    /// The base of URLs to this server.
    public var url: String { "http://127.0.0.1:\(self.port)" }

    /// The number of connections so far.
    public var connectionCount: Int { self.state.withLock { $0.connections } }

    /// All requests that were read whole, in the order of their ends.
    public var requests: [ScriptedConnection.Request] { self.state.withLock { $0.requests } }

    /// Ends the server and its connections.
    public func stop() {
        self.state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            // Wakes the accepting thread, which closes the listener.
            _ = shutdown(self.listener, Int32(SHUT_RDWR))
            for descriptor in state.open.values { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    func record(_ request: ScriptedConnection.Request) {
        self.state.withLock { $0.requests.append(request) }
    }

    func forget(_ connection: ScriptedConnection) {
        // Under the lock, so that `stop()` never meets a number that is another's by now.
        self.state.withLock { state in
            guard state.open.removeValue(forKey: connection.number) != nil else { return }
            _ = close(connection.descriptor)
        }
    }

    private func acceptConnections(_ script: @escaping @Sendable (ScriptedConnection) -> Void) {
        while true {
            let descriptor = accept(self.listener, nil, nil)
            if descriptor < 0, errno == EINTR || errno == ECONNABORTED { continue }
            guard descriptor >= 0 else { break }
            let number: Int? = self.state.withLock { state in
                guard !state.isStopped else { return nil }
                state.connections += 1
                state.open[state.connections] = descriptor
                return state.connections
            }
            guard let number else {
                _ = close(descriptor)
                break
            }
            let connection = ScriptedConnection(server: self, number: number, descriptor: descriptor)
            Thread.detachNewThread {
                script(connection)
                connection.close()
            }
        }
        _ = close(self.listener)
    }
}

/// Why a server could not start.
public enum ScriptedServerError: Error {
    /// With this errno.
    case cannotListen(Int32)
}

/// One connection of a ``ScriptedServer``, used by its script's thread only.
public final class ScriptedConnection: Sendable {
    /// A request as it came.
    public struct Request: Sendable {
        /// The number of its connection, from 1.
        public let connection: Int
        /// The request line and fields, without the empty line.
        public let head: String
        /// The content, by Content-Length.
        public let body: [UInt8]

        /// The request line.
        public var line: String { String(self.head.prefix { $0 != "\r\n" }) }

        /// The value of a field, or nil.
        public func field(_ name: String) -> String? {
            for line in self.head.split(separator: "\r\n").dropFirst() {
                guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased() else {
                    continue
                }
                return String(line[line.index(after: colon)...].drop { $0 == " " })
            }
            return nil
        }
    }

    /// Which connection of the server it is, from 1.
    public let number: Int

    let descriptor: Int32
    private let server: ScriptedServer
    private let rest = Locked<[UInt8]>([])

    init(server: ScriptedServer, number: Int, descriptor: Int32) {
        self.server = server
        self.number = number
        self.descriptor = descriptor
    }

    /// Waits for a request and reads it whole; nil when the connection ends before.
    @discardableResult
    public func readRequest() -> Request? {
        guard let head = self.readHead() else { return nil }
        let request = Request(connection: self.number, head: head, body: [])
        let length = request.field("Content-Length").flatMap { Int($0) } ?? 0
        guard let body = self.read(length) else { return nil }
        let whole = Request(connection: self.number, head: head, body: body)
        self.server.record(whole)
        return whole
    }

    /// Waits for a head and reads nothing of the content.
    public func readHead() -> String? {
        let end: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
        var searched = 0
        while true {
            let found: String? = self.rest.withLock { rest in
                guard rest.count >= 4 else { return nil }
                for start in max(0, searched - 3)..<(rest.count - 3) where rest[start..<(start + 4)].elementsEqual(end)
                {
                    let head = String(decoding: rest[..<start], as: UTF8.self)
                    rest.removeSubrange(..<(start + 4))
                    return head
                }
                searched = rest.count
                return nil
            }
            if let found { return found }
            guard self.receive() else { return nil }
        }
    }

    /// Waits for a number of bytes; nil when the connection ends before.
    public func read(_ count: Int) -> [UInt8]? {
        while self.rest.withLock({ $0.count }) < count {
            guard self.receive() else { return nil }
        }
        return self.rest.withLock { rest in
            let bytes = Array(rest[..<count])
            rest.removeSubrange(..<count)
            return bytes
        }
    }

    /// Reads until the other side ends; all bytes that came.
    @discardableResult
    public func readToEnd() -> [UInt8] {
        while self.receive() {}
        return self.rest.withLock { $0 }
    }

    /// Sends text.
    public func send(_ text: String) {
        self.send(Array(text.utf8))
    }

    /// Sends bytes.
    public func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[sent...])
                return Glibc.send(self.descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Sends an answer with a length and leaves the connection open.
    public func answer(_ body: String, status: String = "200 OK", fields: String = "") {
        self.send("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)")
    }

    /// Whether the other side has ended or broken the connection and all it sent was read.
    public var hasEnded: Bool {
        var byte: UInt8 = 0
        let count = recv(self.descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count == 0 || count < 0 && errno != EAGAIN
    }

    /// Ends the sending direction.
    public func finishSending() {
        _ = shutdown(self.descriptor, Int32(SHUT_WR))
    }

    /// Closes in order.
    public func close() {
        self.server.forget(self)
    }

    /// Closes with a reset.
    public func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(self.descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        self.server.forget(self)
    }

    private func receive() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let count = chunk.withUnsafeMutableBytes { recv(self.descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return false }
        self.rest.withLock { $0.append(contentsOf: chunk[..<count]) }
        return true
    }
}
