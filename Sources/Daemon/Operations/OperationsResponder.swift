internal import GatewayCore
internal import HTTPWire
internal import JSONScan
internal import Telemetry

/// Answers the operations listener: `/healthz`, `/readyz`, `/version`, `/metrics`.
struct OperationsResponder: HTTPResponder {
    private static let paths = ["/healthz", "/readyz", "/version", "/metrics"]

    let readiness: Readiness
    let registry: MetricsRegistry

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        guard Self.paths.contains(request.head.path) else {
            return Self.failure(404, "known here: \(Self.paths.joined(separator: ", "))")
        }
        guard request.head.method == .get || request.head.method == .head else {
            var response = Self.failure(405, "use GET")
            response.fields.append(.allow, "GET, HEAD")
            return response
        }
        switch request.head.path {
        case "/healthz":
            return Self.json(200) { $0.member("status", "ok") }
        case "/readyz":
            let reasons = self.readiness.reasons
            return Self.json(reasons.isEmpty ? 200 : 503) { json in
                json.member("ready", reasons.isEmpty)
                json.array("reasons") { list in
                    for reason in reasons { list.element(reason.rawValue) }
                }
                json.array("accounts") { list in
                    for account in self.readiness.accounts() {
                        list.object { json in
                            json.member("name", account.name)
                            json.member("kind", account.kind.rawValue)
                            json.member("state", account.state)
                        }
                    }
                }
            }
        case "/version":
            return Self.json(200) { $0.member("version", Version.current.rawValue) }
        default:
            var response = HTTPResponse(status: HTTPStatus(200), body: self.registry.exposition())
            response.fields.append(.contentType, MetricsRegistry.contentType)
            return response
        }
    }

    func response(to rejection: HTTPRejection) -> HTTPResponse {
        Self.failure(rejection.status.code, rejection.message)
    }

    private static func failure(_ status: Int, _ message: String) -> HTTPResponse {
        self.json(status) { $0.member("message", message) }
    }

    private static func json(_ status: Int, _ build: (inout JSONObjectWriter) -> Void) -> HTTPResponse {
        var writer = JSONWriter()
        writer.object { build(&$0) }
        writer.lineFeed()
        var response = HTTPResponse(status: HTTPStatus(status), body: writer.bytes)
        response.fields.append(.contentType, "application/json")
        return response
    }
}
