import HTTPWire

/// Where a request goes.
enum Route: Sendable {
    case evaluate
    case compat(CompatName)
    case speech
    case report(String)
    /// A file of made speech, by its name.
    case audio(String)
    /// The path is known, the method is not; with the methods that are.
    case wrongMethod(String)
    /// A compat name that the platform does not know.
    case unregistered
    case unknown

    /// Reads method and path.
    init(_ head: HTTPRequestHead) {
        let path = head.path
        if path == "/api/v1/evaluate" {
            self = head.method == .post ? .evaluate : .wrongMethod("POST")
        } else if path == "/api/v1/tts/generate" {
            self = head.method == .post ? .speech : .wrongMethod("POST")
        } else if let segment = Self.segment(of: path, behind: "/api/v1/report/") {
            self = head.method == .get ? .report(segment) : .wrongMethod("GET")
        } else if let segment = Self.segment(of: path, behind: "/tts/audio/") {
            self = head.method == .get ? .audio(segment) : .wrongMethod("GET")
        } else {
            let name = String(path.dropFirst())
            if let compat = CompatName(rawValue: name) {
                self = head.method == .post ? .compat(compat) : .wrongMethod("POST")
            } else {
                self = name.contains(".") && !name.contains("/") ? .unregistered : .unknown
            }
        }
    }

    /// The single last segment of a path, decoded.
    private static func segment(of path: String, behind prefix: String) -> String? {
        guard path.hasPrefix(prefix) else { return nil }
        let segment = String(path.dropFirst(prefix.count))
        return segment.isEmpty || segment.contains("/") ? nil : PercentCoding.decode(segment)
    }
}
