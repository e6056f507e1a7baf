import Foundation
import Locking

/// A platform that answers every request with the same bytes, or never.
///
/// `@unchecked Sendable`: the descriptor is set in the initialiser; the connections are behind a mutex.
final class StubPlatform: @unchecked Sendable {
    let port: UInt16
    private let listener: Int32
    private let connections = Locked<[Int32]>([])
    private let arrivals = Locked(0)

    /// - Parameter answer: What to send when something has arrived; nil for silence.
    init(answer: String?) throws {
        self.listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = self.listener
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard result else { throw CocoaError(.fileReadUnknown) }
        self.port = UInt16(bigEndian: address.sin_port)
        // The threads end with their sockets, see `stop()`.
        Thread.detachNewThread {
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { return }
                Thread.detachNewThread { self.serve(descriptor, answer: answer) }
            }
        }
    }

    private func serve(_ descriptor: Int32, answer: String?) {
        self.connections.withLock { $0.append(descriptor) }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        var seen = Data()
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return }
            seen += chunk[..<count]
            // The closing delimiter of a multipart body.
            guard seen.suffix(4) == Data("--\r\n".utf8) else { continue }
            self.arrivals.withLock { $0 += 1 }
            if let answer { _ = send(descriptor, answer, answer.utf8.count, Int32(MSG_NOSIGNAL)) }
        }
    }

    /// Returns when a whole request has arrived; throws when none comes.
    func waitForRequest() async throws {
        let deadline = ContinuousClock.now + .seconds(10)
        while self.arrivals.withLock({ $0 }) == 0 {
            guard ContinuousClock.now < deadline else { throw CocoaError(.fileReadUnknown) }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Ends all connections and the listener.
    func stop() {
        shutdown(self.listener, Int32(SHUT_RDWR))
        close(self.listener)
        for descriptor in self.connections.withLock({ $0 }) { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
}
