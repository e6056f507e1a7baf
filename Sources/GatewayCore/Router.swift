internal import HTTPWire

/// Finds the route of a request.
struct Router: Sendable {
    /// What a path and a method lead to.
    enum Match: Sendable {
        case route(Route, index: Int, parameter: String?)
        /// The path exists; these are its methods, as the `Allow` field lists them.
        case otherMethods(String)
        case none
    }

    private typealias Candidate = (index: Int, parameter: String?)

    private struct Pattern: Sendable {
        let prefix: String
        let index: Int

        func match(_ path: String) -> Candidate? {
            // By bytes: a path is bytes, and characters cost ten times as much.
            guard path.utf8.starts(with: self.prefix.utf8) else { return nil }
            let rest = path.utf8.dropFirst(self.prefix.utf8.count)
            guard !rest.isEmpty, !rest.contains(UInt8(ascii: "/")),
                let parameter = PercentCoding.decode(String(Substring(rest)))
            else { return nil }
            return (self.index, parameter)
        }
    }

    private let routes: [Route]
    private let fixed: [String: [Candidate]]
    private let patterns: [Pattern]

    /// - Precondition: Braces stand only around the last segment of a pattern.
    init(routes: [Route]) {
        var fixed: [String: [Candidate]] = [:]
        var patterns: [Pattern] = []
        for (index, route) in routes.enumerated() {
            if let brace = route.pattern.firstIndex(of: "{") {
                precondition(route.pattern.hasSuffix("}"), "a parameter is the last segment")
                let prefix = String(route.pattern[..<brace])
                patterns.append(Pattern(prefix: prefix, index: index))
            } else {
                fixed[route.pattern, default: []].append((index, nil))
            }
        }
        self.routes = routes
        self.fixed = fixed
        self.patterns = patterns
    }

    func match(_ method: HTTPMethod, path: String) -> Match {
        let candidates = self.fixed[path] ?? self.patterns.compactMap { $0.match(path) }
        // HEAD is GET without content (RFC 9110, section 9.3.2).
        let wanted: HTTPMethod = method == .head ? .get : method
        for (index, parameter) in candidates where self.routes[index].method == wanted {
            return .route(self.routes[index], index: index, parameter: parameter)
        }
        guard !candidates.isEmpty else { return .none }
        return .otherMethods(Self.allow(candidates.map { self.routes[$0.index].method }))
    }

    private static func allow(_ methods: [HTTPMethod]) -> String {
        var tokens = methods.map(\.token)
        if methods.contains(.get) { tokens.append("HEAD") }
        tokens.append("OPTIONS")
        return tokens.joined(separator: ", ")
    }
}
