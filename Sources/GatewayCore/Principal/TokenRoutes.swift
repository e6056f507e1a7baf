internal import HTTPWire
internal import JSONScan

/// `POST /v1/tokens`: a backend gets a token for one of its users (design, section 7).
public struct TokenRoutes: Sendable {
    private static let members = ["userId", "ttlSeconds", "scopes", "maximumCalls"]

    private let access: ClientAccess
    private let issuer: TokenIssuer
    private let bodies: BodyStorage

    /// Takes what it needs.
    public init(access: ClientAccess, issuer: TokenIssuer, bodies: BodyStorage) {
        self.access = access
        self.bodies = bodies
        self.issuer = issuer
    }

    /// The routes.
    public var routes: [Route] {
        [
            Route(.post, "/v1/tokens") { exchange async throws(GatewayError) in
                let principal = try self.access.principal(of: exchange, for: .tokens)
                let json = try await exchange.receiveJSON(
                    limit: 16 << 10,
                    storage: self.bodies,
                    admission: .accepted(principal)
                ).json
                return Self.response(to: try self.issuer.issue(try Self.request(json, of: principal)))
            }
        ]
    }

    private static func response(to issued: TokenIssuer.Issued) -> HTTPResponse {
        var fields = HTTPFields()
        fields.append(.contentType, "application/json")
        // RFC 6749, section 5.1.
        fields.append(.cacheControl, "no-store")
        return HTTPResponse(status: HTTPStatus(200), fields: fields, body: issued.json)
    }

    private static func request(
        _ body: ReceivedJSON,
        of principal: Principal
    ) throws(GatewayError) -> TokenIssuer.Request {
        let json = body.scanner
        for member in json.members(of: body.root) where !Self.members.contains(member.key) {
            let known = Self.members.joined(separator: ", ")
            throw .invalid("'\(member.key.prefix(64))' is not a member of this request; known: \(known).")
        }
        guard let user = json.value(at: "userId").flatMap({ json.string(of: $0) }) else {
            throw .invalid("userId is missing or not a string: the user whom the token is for.")
        }
        var request = TokenIssuer.Request(client: principal.client, user: user)
        if let lifetime = try Self.integer("ttlSeconds", in: json) { request.lifetime = lifetime }
        request.maximumCalls = try Self.integer("maximumCalls", in: json)
        request.scopes = try Self.scopes(in: json)
        return request
    }

    private static func integer(_ name: String, in json: JSONScanner) throws(GatewayError) -> Int? {
        guard let value = json.value(at: name), value.kind != .null else { return nil }
        guard let number = json.int(of: value) else { throw .invalid("\(name) must be a whole number.") }
        return number
    }

    private static func scopes(in json: JSONScanner) throws(GatewayError) -> Set<Scope>? {
        guard let value = json.value(at: "scopes"), value.kind != .null else { return nil }
        guard value.kind == .array else { throw .invalid("scopes must be a list of strings.") }
        var scopes: Set<Scope> = []
        for element in json.elements(of: value) {
            guard let text = json.string(of: element), let scope = Scope(rawValue: text) else {
                let known = Scope.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalid("scopes holds something that is no scope; known: \(known).")
            }
            scopes.insert(scope)
        }
        return scopes
    }
}

extension TokenIssuer.Issued {
    /// The token as it is handed out (RFC 6749, section 5.1, and its id).
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { json in
            json.member("access_token", self.text)
            json.member("token_type", "Bearer")
            json.member("expires_in", self.lifetime)
            json.member("tokenId", self.id)
        }
        return writer.bytes
    }
}
