/// The journal's end of its native protocol, with both forms of a field (systemd's JOURNAL_NATIVE_PROTOCOL).
public struct JournalSocket: Sendable {
    private let socket: DatagramSocket

    /// Listens at a new path.
    public init() throws {
        self.socket = try DatagramSocket()
    }

    /// The socket's path.
    public var path: String { self.socket.address }

    /// The fields of the next entry; nil when none comes in time, or when it breaks the protocol.
    public func next(within seconds: Int = 30) async -> [String: String]? {
        guard let bytes = await self.socket.next(within: seconds) else { return nil }
        var rest = bytes[...]
        var fields: [String: String] = [:]
        while let end = rest.firstIndex(of: 0x0A) {
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            if let sign = line.firstIndex(of: UInt8(ascii: "=")) {
                fields[String(decoding: line[..<sign], as: UTF8.self)] =
                    String(decoding: line[(sign + 1)...], as: UTF8.self)
                continue
            }
            // Eight bytes of length, the lowest first.
            guard rest.count >= 8 else { return nil }
            let count = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
            let value = rest.dropFirst(8).prefix(count)
            rest = rest.dropFirst(8 + count)
            guard value.count == count, rest.popFirst() == 0x0A else { return nil }
            fields[String(decoding: line, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
        }
        return rest.isEmpty ? fields : nil
    }
}
