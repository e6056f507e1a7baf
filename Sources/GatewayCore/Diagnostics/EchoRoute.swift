internal import Cryptography
internal import HTTPWire
internal import JSONScan

/// `GET|POST /v1/echo`: tells a developer what the gateway understood, with secrets masked (design, section 7).
public struct EchoRoute: Sendable {
    private static let limit = 1 << 20

    /// Makes the routes.
    public init() {}

    /// The routes.
    public var routes: [Route] {
        [HTTPMethod.get, .post].map { method in
            Route(method, "/v1/echo") { exchange async throws(GatewayError) in try await self.echo(exchange) }
        }
    }

    private func echo(_ exchange: Exchange) async throws(GatewayError) -> HTTPResponse {
        let meter = BodyMeter()
        try await exchange.read(into: meter, limit: Self.limit)
        let head = exchange.head
        let (length, digest) = meter.finish()
        var json = JSONWriter()
        json.object { json in
            json.member("method", head.method.token)
            json.member("target", Self.masked(path: head.path, query: head.query))
            json.object("fields") { json in
                var seen: Set<String> = []
                for index in 0..<head.fields.count {
                    let name = head.fields.name(at: index).lowercased()
                    guard seen.insert(name).inserted, let field = HTTPField.Name(name) else { continue }
                    let value = head.fields.values(of: field).joined(separator: ", ")
                    json.member(name, Self.isSecret(name) ? "***" : value)
                }
            }
            json.member("bodyLength", length)
            json.member("bodySha256", digest.hex)
        }
        var fields = HTTPFields()
        fields.append(.contentType, "application/json")
        return HTTPResponse(status: HTTPStatus(200), fields: fields, body: json.bytes)
    }

    /// Query values may be tokens; only the names are shown.
    private static func masked(path: String, query: String?) -> String {
        guard let query else { return path }
        let pairs = query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            let name = pair.prefix { $0 != "=" }
            return name.count == pair.count ? String(name) : name + "=***"
        }
        return path + "?" + pairs.joined(separator: "&")
    }

    private static func isSecret(_ name: String) -> Bool {
        name == "cookie" || name == "x-app-key"
            || ["authorization", "signature", "token", "secret", "password", "api-key", "apikey"]
                .contains { name.contains($0) }
    }
}

/// Counts and hashes a body and keeps none of it.
///
/// `@unchecked Sendable`: used on the connection's loop while bytes arrive, by the same request's task afterwards.
private final class BodyMeter: HTTPBodyConsumer, @unchecked Sendable {
    private var hash = SHA256()
    private var count = 0

    func consume(_ bytes: UnsafeRawBufferPointer) {
        self.hash.update(bytes)
        self.count += bytes.count
    }

    func finish() -> (count: Int, digest: Digest256) {
        (self.count, self.hash.finalize())
    }
}
