internal import Glibc
internal import Locking

/// An answer as a client reads it off its socket.
public struct TestResponse: Sendable {
    /// The status code; 0 when the connection ended before the answer did.
    public let status: Int
    /// The fields in order.
    public let fields: [(name: String, value: String)]
    /// The content.
    public let body: [UInt8]

    /// The first value of a field, by any spelling of its name.
    public subscript(_ name: String) -> String? {
        self.fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The content as text.
    public var text: String { String(decoding: self.body, as: UTF8.self) }

    /// A top-level member of the content's JSON object.
    public func json(_ member: String) -> String? {
        JSONText.member(member, of: self.body)
    }
}

/// A client on a plain socket: it sends exactly what it is told and repeats nothing.
///
/// Used by one task at a time.
public final class TestHTTPClient: Sendable {
    private let descriptor: Int32
    /// What has come and is in no answer yet.
    private let rest = Locked<[UInt8]>([])

    /// Why there is no connection.
    public struct Failure: Error, CustomStringConvertible {
        /// What went wrong.
        public let description: String
    }

    /// Connects to a port of 127.0.0.1.
    ///
    /// - Parameter timeout: For every single read and write, in seconds.
    public init(port: UInt16, timeout: Int = 60) throws {
        self.descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        setsockopt(self.descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(self.descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(self.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            // The descriptor is closed by `deinit`, which runs as all members are set; a second time would hit another's.
            throw Failure(description: "no connection to port \(port): \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(self.descriptor) }

    /// Sends text.
    public func send(_ text: String) {
        self.send(Array(text.utf8))
    }

    /// Sends bytes, and blocks while the other side does not take them; what the other side no longer takes is dropped.
    public func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Says that nothing more will be sent.
    public func finishSending() {
        shutdown(self.descriptor, Int32(SHUT_WR))
    }

    /// Breaks the connection with a reset.
    public func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(self.descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        shutdown(self.descriptor, Int32(SHUT_RD))
        // A second descriptor's close sends the reset; this object's own close is still to come.
        let null = open("/dev/null", O_RDWR)
        dup2(null, self.descriptor)
        close(null)
    }

    /// Waits for one answer, on a thread of its own.
    ///
    /// - Parameter takesInterim: Whether an interim one will do; otherwise they are passed over.
    public func receive(takesInterim: Bool = false) async -> TestResponse {
        await onThread { self.readAnswer(takesInterim: takesInterim) }
    }

    /// Waits for the other side to end the connection, on a thread of its own.
    ///
    /// - Returns: Whether it did in time, and said nothing before.
    public func receiveEnd() async -> Bool {
        await onThread {
            var byte: UInt8 = 0
            var count = Glibc.recv(self.descriptor, &byte, 1, 0)
            while count < 0, errno == EINTR { count = Glibc.recv(self.descriptor, &byte, 1, 0) }
            return self.rest.withLock { $0.isEmpty } && (count == 0 || count < 0 && errno == ECONNRESET)
        }
    }

    private func readAnswer(isHead: Bool = false, takesInterim: Bool = false) -> TestResponse {
        var buffer = self.rest.withLock { $0 }
        defer { self.rest.withLock { $0 = buffer } }
        while true {
            guard let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else {
                guard let piece = self.read() else { return TestResponse(status: 0, fields: [], body: buffer) }
                buffer += piece
                continue
            }
            let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
            buffer.removeSubrange(..<end.upperBound)
            let status = lines.first.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
            guard status >= 200 || takesInterim else { continue }
            let fields = lines.dropFirst().map { line in
                let colon = line.firstIndex(of: ":") ?? line.endIndex
                let value = line[colon...].dropFirst().drop { $0 == " " }
                return (name: String(line[..<colon]), value: String(value))
            }
            let head = TestResponse(status: status, fields: fields, body: [])
            let hasBody = !isHead && status >= 200 && status != 204 && status != 304
            let length = hasBody ? head["content-length"].flatMap { Int($0) } : 0
            while length.map({ buffer.count < $0 }) ?? true {
                guard let piece = self.read() else { break }
                buffer += piece
            }
            let body = Array(buffer.prefix(length ?? buffer.count))
            buffer.removeFirst(body.count)
            guard body.count == length ?? body.count else { return TestResponse(status: 0, fields: [], body: body) }
            return TestResponse(status: status, fields: fields, body: body)
        }
    }

    private func read() -> [UInt8]? {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.recv(self.descriptor, &piece, piece.count, 0)
            // A signal to the test process is no end of the connection.
            if count < 0, errno == EINTR { continue }
            return count > 0 ? Array(piece.prefix(count)) : nil
        }
    }

    /// The bytes of a request; its length is that of its content, unless the fields tell another one.
    public static func request(
        _ method: String,
        _ target: String,
        fields: [(String, String)] = [],
        body: [UInt8] = [],
        close: Bool = true
    ) -> [UInt8] {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: gateway.test\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        let saysLength = fields.contains { $0.0 == "Content-Length" }
        if !saysLength, !body.isEmpty || method == "POST" { head += "Content-Length: \(body.count)\r\n" }
        if close { head += "Connection: close\r\n" }
        return Array((head + "\r\n").utf8) + body
    }

    /// One exchange on a connection of its own, on a thread of its own.
    public static func exchange(
        port: UInt16,
        _ method: String,
        _ target: String,
        fields: [(String, String)] = [],
        body: [UInt8] = [],
        timeout: Int = 60
    ) async throws -> TestResponse {
        let request = Self.request(method, target, fields: fields, body: body)
        let result: Result<TestResponse, any Error> = await onThread {
            Result {
                let client = try TestHTTPClient(port: port, timeout: timeout)
                client.send(request)
                return client.readAnswer(isHead: method == "HEAD")
            }
        }
        return try result.get()
    }
}
