import HTTPWire
import TestSupport
import Testing

/// Request lines and targets (RFC 9112, section 3).
@Suite struct HTTP1RequestLineTests {
    struct Accepted: Sendable {
        let line: String
        let method: HTTPMethod
        let path: String
        var query: String?
        var authority = "example.com"
        var version = HTTPRequestHead.Version.http11
    }

    @Test(arguments: [
        Accepted(line: "GET / HTTP/1.1", method: .get, path: "/"),
        Accepted(line: "HEAD /healthz HTTP/1.1", method: .head, path: "/healthz"),
        Accepted(line: "POST /api/v1/evaluate HTTP/1.1", method: .post, path: "/api/v1/evaluate"),
        Accepted(line: "PUT /a HTTP/1.1", method: .put, path: "/a"),
        Accepted(line: "DELETE /a HTTP/1.1", method: .delete, path: "/a"),
        Accepted(line: "PATCH /a HTTP/1.1", method: .patch, path: "/a"),
        Accepted(line: "TRACE /a HTTP/1.1", method: .other("TRACE"), path: "/a"),
        Accepted(line: "get /a HTTP/1.1", method: .other("get"), path: "/a"),
        Accepted(line: "G /a HTTP/1.1", method: .other("G"), path: "/a"),
        Accepted(line: "GETX /a HTTP/1.1", method: .other("GETX"), path: "/a"),
        Accepted(line: "!#$%&'*+-.^_`|~09azAZ /a HTTP/1.1", method: .other("!#$%&'*+-.^_`|~09azAZ"), path: "/a"),
        Accepted(line: "GET /a HTTP/1.0", method: .get, path: "/a", version: .http10),
        Accepted(line: "GET /a HTTP/1.2", method: .get, path: "/a"),
        Accepted(line: "GET /a HTTP/1.9", method: .get, path: "/a"),
        Accepted(line: "GET /a? HTTP/1.1", method: .get, path: "/a", query: ""),
        Accepted(line: "GET /a?b=c&d=/?e HTTP/1.1", method: .get, path: "/a", query: "b=c&d=/?e"),
        Accepted(line: "GET /?a HTTP/1.1", method: .get, path: "/", query: "a"),
        Accepted(line: "GET //a//b/ HTTP/1.1", method: .get, path: "//a//b/"),
        Accepted(line: "GET /../%2e%2E/a HTTP/1.1", method: .get, path: "/../%2e%2E/a"),
        Accepted(line: "GET /-._~!$&'()*+,;=:@%20%C3%a9 HTTP/1.1", method: .get, path: "/-._~!$&'()*+,;=:@%20%C3%a9"),
        Accepted(line: "GET /a?%00 HTTP/1.1", method: .get, path: "/a", query: "%00"),
        Accepted(line: "GET /* HTTP/1.1", method: .get, path: "/*"),
        Accepted(line: "OPTIONS * HTTP/1.1", method: .options, path: "*"),
        Accepted(line: "OPTIONS /a HTTP/1.1", method: .options, path: "/a"),
        Accepted(line: "GET http://a.example/b HTTP/1.1", method: .get, path: "/b", authority: "a.example"),
        Accepted(
            line: "GET HTTP://a.example:81/b?c HTTP/1.1",
            method: .get,
            path: "/b",
            query: "c",
            authority: "a.example:81"
        ),
        Accepted(line: "GET https://a.example/b HTTP/1.1", method: .get, path: "/b", authority: "a.example"),
        Accepted(
            line: "GET http://[2001:db8::1]:80/ HTTP/1.1",
            method: .get,
            path: "/",
            authority: "[2001:db8::1]:80"
        ),
        Accepted(line: "GET http://a.example HTTP/1.1", method: .get, path: "/", authority: "a.example"),
        Accepted(line: "GET http://a.example?b HTTP/1.1", method: .get, path: "/", query: "b", authority: "a.example"),
        Accepted(line: "OPTIONS http://a.example HTTP/1.1", method: .options, path: "*", authority: "a.example"),
        Accepted(line: "OPTIONS http://a.example/ HTTP/1.1", method: .options, path: "/", authority: "a.example"),
        Accepted(
            line: "CONNECT a.example:443 HTTP/1.1",
            method: .other("CONNECT"),
            path: "",
            authority: "a.example:443"
        ),
        Accepted(line: "CONNECT [::1]:443 HTTP/1.1", method: .other("CONNECT"), path: "", authority: "[::1]:443"),
    ])
    func isUnderstood(_ example: Accepted) throws {
        let (whole, problems) = HTTP1Transcript.verified("\(example.line)\r\nHost: example.com\r\n\r\n")
        #expect(problems.isEmpty, "\(problems)")
        guard case .request(let request) = try #require(whole.outcomes.first) else {
            Issue.record("refused: \(whole)")
            return
        }
        #expect(whole.outcomes.count == 1)
        #expect(HTTPMethod(request.method) == example.method)
        #expect(request.target == example.line.split(separator: " ")[1])
        #expect(request.path == example.path)
        #expect(request.query == example.query)
        #expect(request.authority == example.authority)
        #expect(request.version == example.version)
        #expect(request.framing == .none)
        #expect(request.isPersistent == (example.version == .http11))
    }

    @Test(arguments: [
        // One space between method, target and version, and nothing else.
        "GET HTTP/1.1", "GET /a", "GET", "GET ", " GET /a HTTP/1.1", "GET  /a HTTP/1.1", "GET /a  HTTP/1.1",
        "GET /a HTTP/1.1 ", "GET /a b HTTP/1.1", "GET\t/a\tHTTP/1.1", "GET\u{0B}/a HTTP/1.1", "GET\u{A0}/a HTTP/1.1",
        "    ", "hello there", "{\"method\":\"GET\"}",
        // Methods are tokens.
        "GE(T /a HTTP/1.1", "GET: /a HTTP/1.1", "GE/T /a HTTP/1.1", "\"GET\" /a HTTP/1.1", "G\u{0}T /a HTTP/1.1",
        "G\u{1}T /a HTTP/1.1", "G\u{C9}T /a HTTP/1.1", "\u{EF}\u{BB}\u{BF}GET /a HTTP/1.1",
        // Versions are written exactly.
        "GET /a HTTP/1", "GET /a HTTP/1.", "GET /a HTTP/.1", "GET /a HTTP/01.1", "GET /a HTTP/1.01", "GET /a HTTP/1.10",
        "GET /a http/1.1", "GET /a Http/1.1", "GET /a HTTP/1.1x", "GET /a HTTP/1,1", "GET /a HTTP-1.1",
        "GET /a HTTP/+1.1", "GET /a HTTP/11", "GET /a HTTP/x.y", "GET /a HTTPS/1.1", "GET /a ICE/1.0",
        "GET /a XHTTP/1.1",
        "GET /a HTTP/1.\u{B1}", "GET /a HTTP/1.1\u{0}", "GET /a HTTP/\u{B9}.1",
        // Targets are URIs in one of four forms.
        "GET a HTTP/1.1", "GET ?a HTTP/1.1", "GET * HTTP/1.1", "POST * HTTP/1.1", "OPTIONS ** HTTP/1.1",
        "OPTIONS *?a HTTP/1.1", "PRI * HTTP/1.1", "GET a.example:80 HTTP/1.1", "GET /a#b HTTP/1.1",
        "GET /a?b#c HTTP/1.1",
        "GET /a?\u{0} HTTP/1.1", "GET /a\u{1B} HTTP/1.1", "GET /a\u{7F} HTTP/1.1", "GET /\u{C3}\u{A9} HTTP/1.1",
        "GET /a\\ HTTP/1.1", "GET /a\" HTTP/1.1", "GET /a< HTTP/1.1", "GET /a> HTTP/1.1", "GET /a^ HTTP/1.1",
        "GET /a` HTTP/1.1", "GET /a{ HTTP/1.1", "GET /a| HTTP/1.1", "GET /a} HTTP/1.1", "GET /a[ HTTP/1.1",
        "GET /a?[ HTTP/1.1", "GET /a?\\ HTTP/1.1",
        "GET /% HTTP/1.1", "GET /%2 HTTP/1.1", "GET /%zz HTTP/1.1", "GET /%2g HTTP/1.1", "GET /a?% HTTP/1.1",
        "GET /a?%4 HTTP/1.1", "GET /%00 HTTP/1.1", "GET /a%00b HTTP/1.1",
        "GET http:///a HTTP/1.1", "GET http: HTTP/1.1", "GET http:// HTTP/1.1", "GET http:/a HTTP/1.1",
        "GET ftp://a.example/ HTTP/1.1", "GET httpx://a.example/ HTTP/1.1", "GET http://user@a.example/ HTTP/1.1",
        "GET http://a.example:port/ HTTP/1.1", "GET http://a.example:65536/ HTTP/1.1", "GET http://a b/ HTTP/1.1",
        "GET http://a.example/b#c HTTP/1.1", "GET http://[::1/ HTTP/1.1", "GET http://a.example#b HTTP/1.1",
        "CONNECT a.example HTTP/1.1", "CONNECT a.example: HTTP/1.1", "CONNECT a.example:99999 HTTP/1.1",
        "CONNECT /a HTTP/1.1", "CONNECT http://a.example/ HTTP/1.1", "CONNECT :443 HTTP/1.1", "CONNECT * HTTP/1.1",
        "CONNECT a@b:1 HTTP/1.1",
    ])
    func isRefusedAsMalformed(_ line: String) {
        let (whole, problems) = HTTP1Transcript.verified("\(line)\r\nHost: example.com\r\n\r\n")
        #expect(problems.isEmpty, "\(problems)")
        #expect(whole.outcomes == [.rejected(400)], "\(whole)")
    }

    @Test(arguments: ["HTTP/0.9", "HTTP/2.0", "HTTP/3.0", "HTTP/9.9", "HTTP/0.0"])
    func anotherMajorVersionIsNotSupported(_ version: String) {
        let (whole, problems) = HTTP1Transcript.verified("PRI * \(version)\r\n\r\nSM\r\n\r\n")
        #expect(problems.isEmpty, "\(problems)")
        #expect(whole.outcomes == [.rejected(505)])
    }

    @Test(arguments: [
        "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "\rGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\r\n", "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\rHost: a\r\r", "GET / HTTP/1.1\n\rHost: a\n\r\n\r", "GET /\rHTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\rXGET", "\r\rGET / HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n\nGET / HTTP/1.1\r\n\r\n",
    ])
    func onlyCRLFEndsALine(_ text: String) {
        let (whole, problems) = HTTP1Transcript.verified(text)
        #expect(problems.isEmpty, "\(problems)")
        #expect(whole.outcomes == [.rejected(400)], "\(whole)")
    }

    @Test(arguments: 0...10)
    func aFewEmptyLinesInFrontAreBorne(_ count: Int) throws {
        let text = String(repeating: "\r\n", count: count) + "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        let (whole, problems) = HTTP1Transcript.verified(text)
        #expect(problems.isEmpty, "\(problems)")
        if count > 8 {
            #expect(whole.outcomes == [.rejected(400)])
        } else {
            guard case .request(let request) = try #require(whole.outcomes.first) else {
                Issue.record("refused: \(whole)")
                return
            }
            #expect(request.path == "/")
            #expect(request.fields == ["Host: a"])
        }
    }

    /// What can be seen to be wrong is refused with its byte, not at the end of a line that may never come.
    @Test(arguments: [
        " ", "\n", "(", "\u{16}\u{3}\u{1}", "\u{0}", "G\r", "GE\u{1}", "G:", "GET  ", "GET \t", "GET \u{80}",
        "GET /a\u{7F}",
        "GET /a\r", "GET /a HTTP/1.1x", "GET /a \r", "GET /a HTTP/1.1\rX", "GET /a HTTP/1.1\r\n ",
        "GET /a HTTP/1.1\r\n:",
        "GET /a HTTP/1.1\r\nX ", "GET /a HTTP/1.1\r\nX\u{0}", "GET /a HTTP/1.1\r\nX\r", "GET /a HTTP/1.1\r\nX:\u{0}",
        "GET /a HTTP/1.1\r\nX: a\n", "GET /a HTTP/1.1\r\nX: a\rb", "GET /a HTTP/1.1\r\nX: a\r\n ",
        "GET /a HTTP/2.0\r\n",
        "GET /% HTTP/1.1\r\n", "GET /a HTTP/1.1\r\n\rX",
    ])
    func isRefusedAtTheByteThatShowsIt(_ text: String) {
        let bytes = Array(text.unicodeScalars.map { UInt8($0.value) })
        let (whole, problems) = HTTP1Transcript.verified(bytes)
        #expect(problems.isEmpty, "\(problems)")
        #expect(whole.outcomes.count == 1 && whole.outcomes != [.stuck], "not refused: \(whole)")
        if bytes.count > 3, text.first != "\u{16}" {
            let before = HTTP1Transcript(Array(bytes.dropLast()))
            #expect(before.outcomes.isEmpty, "refused too early: \(before)")
        }
    }
}
