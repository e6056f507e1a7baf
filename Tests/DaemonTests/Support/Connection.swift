import Foundation

/// A blocking TCP connection to this machine, with enough HTTP for tests.
///
/// Used by one task at a time.
final class Connection: Sendable {
    private let descriptor: Int32

    struct Refused: Error {}

    init(port: UInt16) throws {
        self.descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(self.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(self.descriptor)
            throw Refused()
        }
    }

    deinit {
        close(self.descriptor)
    }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Foundation.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Everything up to the end of one answer, or of the connection.
    func receive() -> Answer {
        var bytes = Data()
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let answer = Answer(bytes) { return answer }
            var waiting = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&waiting, 1, 20_000) == 1 ? recv(self.descriptor, &chunk, chunk.count, 0) : 0
            guard count > 0 else { return Answer(cut: bytes) }
            bytes += chunk[..<count]
        }
    }

    struct Answer: Sendable {
        /// Nil when the connection ended before the answer did.
        let status: Int?
        let head: String
        let body: String

        init(cut bytes: Data) {
            self.status = nil
            self.head = String(decoding: bytes, as: UTF8.self)
            self.body = ""
        }

        init?(_ bytes: Data) {
            guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { return nil }
            let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            let length = head.firstMatch(of: /(?i)content-length: ([0-9]+)/).flatMap { Int($0.1) } ?? 0
            guard bytes.count >= end.upperBound + length else { return nil }
            self.status = head.firstMatch(of: /^HTTP\/1.1 ([0-9]{3})/).flatMap { Int($0.1) }
            self.head = head
            self.body = String(decoding: bytes[end.upperBound...], as: UTF8.self)
        }
    }

    /// One exchange on a connection of its own.
    @concurrent static func exchange(port: UInt16, _ request: String) async throws -> Answer {
        let connection = try Connection(port: port)
        connection.send(request)
        return connection.receive()
    }

    /// One GET on a connection of its own.
    static func get(port: UInt16, _ path: String, fields: String = "") async throws -> Answer {
        try await self.exchange(port: port, "GET \(path) HTTP/1.1\r\nHost: t\r\n\(fields)Connection: close\r\n\r\n")
    }
}
