import Foundation
import Glibc

/// A Unix-domain datagram socket that keeps what it is sent.
///
/// `@unchecked Sendable`: the descriptor is made in the initialiser; receiving is the kernel's to order.
public final class DatagramSocket: @unchecked Sendable {
    /// The largest datagram that is received whole.
    private static let capacity = 1 << 16

    /// Its path, or its name behind `@`.
    public let address: String
    private let descriptor: Int32
    private let path: String?

    /// Listens at a new address.
    ///
    /// - Parameter isAbstract: Whether the name is no file's.
    public init(isAbstract: Bool = false) throws {
        let name = "speechgate-socket-\(UUID().uuidString)"
        let path = isAbstract ? nil : FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        self.path = path
        self.address = path ?? "@" + name
        self.descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = path.map { Array($0.utf8) } ?? [0] + Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (path == nil ? 0 : 1))
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(self.descriptor, $0, length) == 0 }
        }
        guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EINVAL) }
    }

    deinit {
        close(self.descriptor)
        if let path { unlink(path) }
    }

    /// The next datagram; nil when none comes in time.
    public func next(within seconds: Int = 30) async -> [UInt8]? {
        await onThread {
            var waiting = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, Int32(seconds) * 1_000) == 1 else { return nil }
            var bytes = [UInt8](repeating: 0, count: Self.capacity)
            let count = recv(self.descriptor, &bytes, bytes.count, 0)
            return count >= 0 ? Array(bytes[..<count]) : nil
        }
    }
}
