import Foundation
import Glibc

/// The service manager's end of sd_notify(3): a datagram socket that keeps what it is told.
///
/// `@unchecked Sendable`: the descriptor is made in the initialiser; receiving is the kernel's to order.
public final class NotifySocket: @unchecked Sendable {
    /// The value of `NOTIFY_SOCKET`.
    public let address: String
    private let descriptor: Int32
    private let path: String?

    /// Listens at a new address.
    ///
    /// - Parameter isAbstract: Whether the name is no file's.
    public init(isAbstract: Bool = false) throws {
        let name = "speechgate-notify-\(UUID().uuidString)"
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

    /// The next notification's assignments; nil when none comes in time.
    public func next(within seconds: Int = 30) async -> [String: String]? {
        await onThread {
            var waiting = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, Int32(seconds) * 1_000) == 1 else { return nil }
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = recv(self.descriptor, &bytes, bytes.count, 0)
            guard count >= 0 else { return nil }
            var assignments: [String: String] = [:]
            for line in String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n") {
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                assignments[String(parts[0])] = parts.count == 2 ? String(parts[1]) : ""
            }
            return assignments
        }
    }

    /// The next notification that has an assignment, such as `READY=1`.
    public func next(with name: String, within seconds: Int = 30) async -> [String: String]? {
        while let notification = await self.next(within: seconds) {
            if notification[name] != nil { return notification }
        }
        return nil
    }
}
