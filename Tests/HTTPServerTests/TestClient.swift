import Dispatch
import Glibc
import HTTPServer
import Locking
import Testing

/// Runs something that blocks on a queue of its own: the pool that tests share has two threads.
func blocking<Value: Sendable>(
    on queue: DispatchQueue = DispatchQueue(label: "blocking"),
    _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        queue.async {
            continuation.resume(with: Result { try work() })
        }
    }
}

/// What a client makes of an answer.
struct Answer: Equatable, Sendable {
    var status: Int
    var fields: [String: String]
    var body: [UInt8]

    var text: String { String(decoding: self.body, as: UTF8.self) }
}

/// A client that writes and reads bytes as told, with 10 s of patience.
final class TestClient: Sendable {
    enum Failure: Error, Equatable {
        case connect(Int32)
        case closed
        case reset
        case silent
        case notHTTP(String)
    }

    enum End: Equatable {
        case closed
        case reset
    }

    private let descriptor: Int32
    private let reader = DispatchQueue(label: "client.reader")
    private let writer = DispatchQueue(label: "client.writer")
    private let buffer = Locked<[UInt8]>([])
    private let isOpen = Locked(true)

    init(_ address: BoundAddress, receiveBuffer: Int32? = nil) throws {
        switch address.address {
        case .unix(let path):
            self.descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
            try self.connect(&name, socklen_t(MemoryLayout<sockaddr_un>.size))
        case .tcp(let host, let port) where host.contains(":"):
            self.descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = port.bigEndian
            inet_pton(AF_INET6, host, &name.sin6_addr)
            try self.connect(&name, socklen_t(MemoryLayout<sockaddr_in6>.size))
        case .tcp(_, let port):
            self.descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            if let receiveBuffer { self.set(SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            inet_pton(AF_INET, "127.0.0.1", &name.sin_addr)
            try self.connect(&name, socklen_t(MemoryLayout<sockaddr_in>.size))
        case .inherited:
            throw Failure.connect(EINVAL)
        }
        self.set(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
        self.set(SOL_SOCKET, SO_RCVTIMEO, timeval(tv_sec: 10, tv_usec: 0))
        self.set(SOL_SOCKET, SO_SNDTIMEO, timeval(tv_sec: 10, tv_usec: 0))
    }

    private func set<Value: BitwiseCopyable>(_ level: Int32, _ option: Int32, _ value: Value) {
        var value = value
        setsockopt(self.descriptor, level, option, &value, socklen_t(MemoryLayout<Value>.size))
    }

    deinit {
        self.close()
    }

    private func connect<Address>(_ address: inout Address, _ length: socklen_t) throws {
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(self.descriptor, $0, length) }
        }
        guard result == 0 else { throw Failure.connect(errno) }
    }

    /// Writes all of it, however long that takes.
    func send(_ text: String) async throws {
        try await self.send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) async throws {
        try await blocking(on: self.writer) {
            var offset = 0
            while offset < bytes.count {
                let count = bytes.withUnsafeBytes { bytes in
                    Glibc.send(
                        self.descriptor,
                        bytes.baseAddress.map { $0 + offset },
                        bytes.count - offset,
                        Int32(MSG_NOSIGNAL)
                    )
                }
                guard count > 0 else { throw Failure.reset }
                offset += count
            }
        }
    }

    /// The next answer, interim ones included.
    func answer(to method: String = "GET") async throws -> Answer {
        try await blocking(on: self.reader) {
            while true {
                if let answer = try self.takeAnswer(method) { return answer }
                try self.fill()
            }
        }
    }

    /// The next bytes, as many as asked for.
    func bytes(_ count: Int) async throws -> [UInt8] {
        try await blocking(on: self.reader) {
            while true {
                let taken = self.buffer.withLock { buffer -> [UInt8]? in
                    guard buffer.count >= count else { return nil }
                    defer { buffer.removeSubrange(..<count) }
                    return Array(buffer[..<count])
                }
                if let taken { return taken }
                try self.fill()
            }
        }
    }

    /// A request, whole, and its answer.
    func exchange(_ request: String) async throws -> Answer {
        try await self.send(request)
        return try await self.answer(to: String(request.prefix { $0 != " " }))
    }

    /// Reads until the server ends the connection: what came, and how it ended.
    func end() async throws -> (rest: [UInt8], end: End) {
        try await blocking(on: self.reader) {
            while true {
                do {
                    try self.fill()
                } catch Failure.closed {
                    return (self.buffer.withLock { $0 }, .closed)
                } catch Failure.reset {
                    return (self.buffer.withLock { $0 }, .reset)
                }
            }
        }
    }

    func halfClose() {
        shutdown(self.descriptor, Int32(SHUT_WR))
    }

    func close() {
        self.isOpen.withLock { isOpen in
            guard isOpen else { return }
            isOpen = false
            _ = Glibc.close(self.descriptor)
        }
    }

    /// Closes with a reset, as a crashed client would look.
    func reset() {
        self.set(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
        self.close()
    }

    private func fill() throws {
        var piece = [UInt8](repeating: 0, count: 65536)
        let count = recv(self.descriptor, &piece, piece.count, 0)
        guard count > 0 else {
            if count == 0 { throw Failure.closed }
            throw errno == ECONNRESET ? Failure.reset : Failure.silent
        }
        self.buffer.withLock { $0.append(contentsOf: piece[..<count]) }
    }

    private func takeAnswer(_ method: String) throws -> Answer? {
        try self.buffer.withLock { buffer in
            guard let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
            let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
            let words = lines[0].split(separator: " ", maxSplits: 2)
            guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
                throw Failure.notHTTP(String(lines[0]))
            }
            var fields: [String: String] = [:]
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                fields[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            }
            let hasBody = method != "HEAD" && status >= 200 && status != 204 && status != 304
            let count = hasBody ? fields["content-length"].flatMap { Int($0) } ?? 0 : 0
            guard buffer.count - end.upperBound >= count else { return nil }
            let body = Array(buffer[end.upperBound..<(end.upperBound + count)])
            buffer.removeSubrange(..<(end.upperBound + count))
            return Answer(status: status, fields: fields, body: body)
        }
    }
}
