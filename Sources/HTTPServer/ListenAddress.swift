/// Where a server listens.
public enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A numeric IPv4 or IPv6 address, or a name such as `localhost`; port 0 takes a free one.
    case tcp(host: String, port: UInt16)
    /// A Unix-domain socket at a path.
    case unix(path: String)
    /// A listening socket that the process was started with. It stays open: whoever gave it may have it listened on again.
    case inherited(descriptor: Int32)

    /// Reads `127.0.0.1:8790`, `[::1]:8790`, `localhost:8790`, `unix:/path` or `fd:3`.
    ///
    /// - Throws: ``HTTPServerError``, code `invalidAddress`, with the forms that are understood.
    public init(_ text: String) throws(HTTPServerError) {
        if text.hasPrefix("unix:"), text.utf8.count > 5 {
            self = .unix(path: String(text.dropFirst(5)))
            return
        }
        if text.hasPrefix("fd:") {
            guard let descriptor = Int32(text.dropFirst(3)), descriptor >= 3 else { throw Self.invalid(text) }
            self = .inherited(descriptor: descriptor)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[text.index(after: colon)...]) else {
            throw Self.invalid(text)
        }
        var host = text[..<colon]
        if host.first == "[", host.last == "]" {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { throw Self.invalid(text) }
        } else if host.contains(where: { $0 == ":" || $0 == "[" || $0 == "]" }) {
            throw Self.invalid(text)
        }
        guard !host.isEmpty else { throw Self.invalid(text) }
        self = .tcp(host: String(host), port: port)
    }

    /// The text that ``init(_:)`` reads.
    public var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        case .inherited(let descriptor): "fd:\(descriptor)"
        }
    }

    private static func port(_ text: Substring) -> UInt16? {
        // UInt16 would also take a sign.
        guard text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return UInt16(text)
    }

    private static func invalid(_ text: String) -> HTTPServerError {
        HTTPServerError(
            .invalidAddress,
            "\"\(text)\" is no address to listen on; write 127.0.0.1:8790, [::1]:8790, unix:/path or fd:3"
        )
    }
}

/// Where a server listens in fact: the port is known.
public struct BoundAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address; never port 0.
    public let address: ListenAddress

    /// The TCP port, or nil on a Unix-domain socket.
    public var port: UInt16? {
        if case .tcp(_, let port) = self.address { port } else { nil }
    }

    /// For instance `127.0.0.1:41233`, `[::1]:41233` or `unix:/run/speechgate.sock`.
    public var description: String { self.address.description }
}
