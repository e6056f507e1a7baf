import HTTPWire
import Testing

@testable import GatewayCore

@Suite struct RouterTests {
    private let router = Router(
        routes: [
            Route(.get, "/v1/keys/{key}") { _ in HTTPResponse(status: HTTPStatus(200)) },
            Route(.get, "/v1/echo") { _ in HTTPResponse(status: HTTPStatus(200)) },
            Route(.post, "/v1/echo") { _ in HTTPResponse(status: HTTPStatus(200)) },
        ]
    )

    @Test(arguments: [
        (HTTPMethod.get, "/v1/echo", "1"),
        (.post, "/v1/echo", "2"),
        (.head, "/v1/echo", "1"),
        (.put, "/v1/echo", "GET, POST, HEAD, OPTIONS"),
        (.get, "/v1/keys/abc", "0 abc"),
        (.get, "/v1/keys/a%2Fb%20", "0 a/b "),
        (.get, "/v1/keys/%E4%BD%A0", "0 \u{4F60}"),
        (.get, "/v1/keys/%FF", "none"),
        (.get, "/v1/keys/", "none"),
        (.get, "/v1/keys/a/b", "none"),
        (.delete, "/v1/keys/a", "GET, HEAD, OPTIONS"),
        (.get, "/v1/echo/", "none"),
        (.get, "/V1/echo", "none"),
        (.get, "/", "none"),
    ])
    func match(method: HTTPMethod, path: String, expected: String) {
        let found =
            switch self.router.match(method, path: path) {
            case .route(_, let index, let parameter): "\(index)" + (parameter.map { " " + $0 } ?? "")
            case .otherMethods(let allow): allow
            case .none: "none"
            }
        #expect(found == expected)
    }

    @Test(arguments: [
        ("abc", "abc"), ("a b", "a%20b"), ("a/b?", "a%2Fb%3F"), ("\u{4F60}", "%E4%BD%A0"), ("-._~", "-._~"), ("", ""),
    ])
    func percentEncoding(text: String, encoded: String) {
        #expect(PercentCoding.encode(text) == encoded)
        #expect(PercentCoding.decode(encoded) == text)
    }
}
