import Glibc

/// A port of 127.0.0.1 that only a program that is told of it gets, as often as it starts.
///
/// The socket is bound and never listens: a program that sets SO_REUSEADDR can bind to the port beside it, while the
/// system gives the port to nobody who asks for any. Connections are refused as long as no program listens.
final class ReservedPort: Sendable {
    let number: UInt16
    private let descriptor: Int32

    struct Failure: Error {
        let errno: Int32
    }

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var isOn: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound else {
            let failure = Failure(errno: errno)
            close(descriptor)
            throw failure
        }
        self.descriptor = descriptor
        self.number = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(self.descriptor) }
}
