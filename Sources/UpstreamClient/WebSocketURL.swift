internal import HTTPWire

/// The URL of a WebSocket, under the same rules as those of exchanges.
struct WebSocketURL {
    /// Why a URL is not used; the text says it.
    struct Fault: Error {
        let detail: String
    }

    /// The URL as libcurl knows it, with `https` or `http`.
    let transportURL: String
    /// Whether the connection is encrypted.
    let isSecure: Bool
    /// Host, and port where it is given.
    let authority: String
    /// Path and query.
    let target: String

    /// Checks a URL.
    ///
    /// - Throws: ``Fault`` when the URL is malformed or would send plain text over a network.
    init(checking url: String) throws(Fault) {
        guard url.utf8.count > 2, HTTPToken.equals(url.utf8.prefix(2), "ws") else {
            throw Fault(detail: "the URL does not begin with wss:// or ws://")
        }
        self.transportURL = "http" + url.dropFirst(2)
        do throws(RequestURL.Fault) {
            let checked = try RequestURL(checking: self.transportURL)
            self.isSecure = checked.isSecure
            self.authority = String(checked.authority)
            self.target = checked.target.first == "/" ? String(checked.target) : "/" + checked.target
        } catch {
            switch error {
            case .notAbsolute: throw Fault(detail: "the URL does not begin with wss:// or ws://")
            case .insecure: throw Fault(detail: "plain ws:// is allowed for loopback hosts only")
            case .badCharacter, .badAuthority: throw Fault(detail: error.detail)
            }
        }
    }
}
