import HTTPWire
import Testing

/// Heads of requests, byte for byte (RFC 9112, section 3; RFC 9110, section 8.6).
@Suite struct HTTP1RequestEncoderTests {
    private func encode(
        _ method: HTTPMethod = .get,
        _ target: Substring = "/",
        _ fields: HTTPFields = HTTPFields(),
        contentLength: Int = 0
    ) -> String? {
        var buffer = Array("before|".utf8)
        let isEncoded = HTTP1RequestEncoder.encodeHead(
            of: method,
            host: "platform.example:8443",
            target: target,
            fields: fields,
            contentLength: contentLength,
            into: &buffer
        )
        return isEncoded ? String(decoding: buffer.dropFirst(7), as: UTF8.self) : nil
    }

    private func fields(_ list: [(String, String)]) throws -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in list { fields.append(try #require(HTTPField.Name(name)), value) }
        return fields
    }

    @Test func aHeadHasItsHostAndTheFieldsOfTheCaller() throws {
        let fields = try self.fields([("X-App-Key", "a"), ("Accept", "*/*"), ("X-Empty", "")])
        #expect(
            self.encode(.get, "/a/b?c=d", fields) == """
                GET /a/b?c=d HTTP/1.1\r
                Host: platform.example:8443\r
                X-App-Key: a\r
                Accept: */*\r
                X-Empty:\r
                \r\n
                """
        )
    }

    @Test(arguments: [("", "/"), ("?a=b", "/?a=b"), ("/", "/"), ("/a//b/../c", "/a//b/../c")])
    func theTargetIsSentAsItIsWithAPath(_ target: Substring, _ expected: String) throws {
        #expect(try #require(self.encode(.get, target)).hasPrefix("GET \(expected) HTTP/1.1\r\n"))
    }

    @Test(
        arguments: [
            (HTTPMethod.get, 0, nil), (.head, 0, nil), (.delete, 0, nil), (.options, 0, nil), (.other("PURGE"), 0, nil),
            (.post, 0, "0"), (.put, 0, "0"), (.patch, 0, "0"), (.get, 7, "7"), (.post, 61_440, "61440"),
        ] as [(HTTPMethod, Int, String?)]
    )
    func theLengthIsSaidWhereThereIsContentOrAServerExpectsSome(
        _ method: HTTPMethod,
        _ count: Int,
        _ said: String?
    ) throws {
        let head = try #require(self.encode(method, contentLength: count))
        let lines = head.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("content-length") }
        #expect(lines == said.map { ["Content-Length: \($0)"] } ?? [])
    }

    @Test(arguments: [
        "Host", "Content-Length", "TRANSFER-ENCODING", "connection", "Keep-Alive", "Proxy-Connection", "Expect", "TE",
        "Trailer", "Upgrade", "Accept-Encoding",
    ])
    func whatIsTheTransportsBusinessIsLeftOut(_ name: String) throws {
        let fields = try self.fields([("X-Before", "1"), (name, "forged"), ("X-After", "2")])
        let head = try #require(self.encode(.post, "/", fields, contentLength: 3))
        #expect(!head.contains("forged"))
        #expect(head.contains("X-Before: 1\r\nX-After: 2\r\n"))
    }

    @Test func whatWouldMakeOtherLinesIsRefused() {
        let forged: [(String, String)] = [
            ("X-A", "b\r\nX-Forged: c"), ("X-A", "b\nc"), ("X-A", "b\rc"), ("X-A", "b\0"), ("X A", "b"), ("X-A:", "b"),
            ("", "b"),
            ("X-A\r\nX-Forged", "b"),
        ]
        for (name, value) in forged {
            let storage = Array((name + value).utf8)
            let middle = name.utf8.count
            let entry = HTTPFields.Entry(name: 0..<middle, value: middle..<storage.count)
            #expect(self.encode(.get, "/", HTTPFields(storage: storage, entries: [entry])) == nil, "\(name): \(value)")
        }
        for method in ["", "GET ", "G\r\nET", "GÉT", String(repeating: "A", count: 33)] {
            #expect(self.encode(.other(method)) == nil)
        }
        #expect(self.encode(.other(String(repeating: "A", count: 32))) != nil)
    }

    @Test func aHeadBeyond64KiBIsRefused() throws {
        let name = "X-Long"
        #expect(self.encode(.get, "/", try self.fields([(name, String(repeating: "a", count: 65_000))])) != nil)
        #expect(self.encode(.get, "/", try self.fields([(name, String(repeating: "a", count: 65_600))])) == nil)
    }
}
