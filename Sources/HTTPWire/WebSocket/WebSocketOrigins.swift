/// Which pages may open connections: a browser says in `Origin` whose page it is (RFC 6455, section 10.2).
///
/// What is no browser says nothing and is not held up: this protects users from foreign pages, not the server.
public enum WebSocketOrigins: Hashable, Sendable {
    /// All.
    case any
    /// These, as browsers write them: scheme, host and port where it is not the scheme's own, in lower case.
    case only(Set<String>)

    /// Whether a request with this `Origin` may go on.
    public func allows(_ origin: String?) -> Bool {
        switch self {
        case .any: true
        case .only(let origins): origin.map { origins.contains($0.lowercased()) } ?? true
        }
    }
}
