/// The service manager's end of sd_notify(3).
public struct NotifySocket: Sendable {
    private let socket: DatagramSocket

    /// Listens at a new address.
    ///
    /// - Parameter isAbstract: Whether the name is no file's.
    public init(isAbstract: Bool = false) throws {
        self.socket = try DatagramSocket(isAbstract: isAbstract)
    }

    /// The value of `NOTIFY_SOCKET`.
    public var address: String { self.socket.address }

    /// The next notification's assignments; nil when none comes in time.
    public func next(within seconds: Int = 30) async -> [String: String]? {
        guard let bytes = await self.socket.next(within: seconds) else { return nil }
        var assignments: [String: String] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            assignments[String(parts[0])] = parts.count == 2 ? String(parts[1]) : ""
        }
        return assignments
    }

    /// The next notification that has an assignment, such as `READY=1`.
    public func next(with name: String, within seconds: Int = 30) async -> [String: String]? {
        while let notification = await self.next(within: seconds) {
            if notification[name] != nil { return notification }
        }
        return nil
    }
}
