import HTTPWire
import Testing

/// Heads of answers, byte for byte (RFC 9112, section 4; RFC 9110, sections 6.6.1, 8.6 and 15).
@Suite struct HTTP1ResponseEncoderTests {
    private func encode(
        _ status: Int,
        _ fields: [(HTTPField.Name, String)] = [],
        body: String = "",
        to method: HTTPMethod = .get,
        version: HTTPRequestHead.Version = .http11,
        keepAlive: Bool = true
    ) -> String {
        var list = HTTPFields()
        for (name, value) in fields { list.append(name, value) }
        var buffer = Array("before|".utf8)
        HTTP1ResponseEncoder.encodeHead(
            of: HTTPResponse(status: HTTPStatus(status), fields: list, body: Array(body.utf8)),
            to: method,
            version: version,
            keepAlive: keepAlive,
            date: "Sun, 06 Nov 1994 08:49:37 GMT",
            into: &buffer
        )
        return String(decoding: buffer.dropFirst(7), as: UTF8.self)
    }

    @Test func anAnswerHasItsLengthAndDate() {
        #expect(
            self.encode(200, [(.contentType, "application/json")], body: "{\"a\":1}\n") == """
                HTTP/1.1 200 OK\r
                Content-Type: application/json\r
                Date: Sun, 06 Nov 1994 08:49:37 GMT\r
                Content-Length: 8\r
                \r\n
                """
        )
    }

    @Test func closeIsSaid() {
        #expect(
            self.encode(400, keepAlive: false) == """
                HTTP/1.1 400 Bad Request\r
                Date: Sun, 06 Nov 1994 08:49:37 GMT\r
                Content-Length: 0\r
                Connection: close\r
                \r\n
                """
        )
        #expect(self.encode(200, version: .http10, keepAlive: false).contains("\r\nConnection: close\r\n"))
    }

    @Test func keepAliveIsSaidToVersion10Only() {
        #expect(self.encode(200, version: .http10).contains("\r\nConnection: keep-alive\r\n"))
        #expect(!self.encode(200).contains("Connection"))
    }

    @Test func headAnnouncesTheLengthOfTheAnswerToGet() {
        #expect(
            self.encode(200, body: String(repeating: "a", count: 1234), to: .head).contains(
                "\r\nContent-Length: 1234\r\n"
            )
        )
        let response = HTTPResponse(status: HTTPStatus(200), body: [1])
        #expect(!HTTP1ResponseEncoder.sendsContent(of: response, to: .head))
        #expect(HTTP1ResponseEncoder.sendsContent(of: response, to: .get))
    }

    @Test(arguments: [204, 304])
    func anAnswerWithoutContentHasNoLength(_ status: Int) {
        let text = self.encode(status, body: "x")
        #expect(!text.contains("Content-Length"))
        #expect(text.contains("\r\nDate: "))
        let response = HTTPResponse(status: HTTPStatus(status), body: [1])
        #expect(!HTTP1ResponseEncoder.sendsContent(of: response, to: .get))
    }

    @Test func anInterimAnswerHasNeitherDateNorLength() {
        let text = self.encode(
            101,
            [(HTTPField.Name(literal: "Connection"), "Upgrade"), (HTTPField.Name(literal: "Upgrade"), "websocket")]
        )
        #expect(text == "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        var buffer: [UInt8] = []
        HTTP1ResponseEncoder.encodeContinue(into: &buffer)
        #expect(String(decoding: buffer, as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
    }

    @Test func framingFieldsOfTheAnswerAreLeftOut() throws {
        let name = try #require(HTTPField.Name("x-kept"))
        let text = self.encode(
            200,
            [
                (HTTPField.Name(literal: "Content-Length"), "99"),
                (HTTPField.Name(literal: "Transfer-Encoding"), "chunked"), (.date, "today"),
                (HTTPField.Name(literal: "Connection"), "upgrade"),
                (HTTPField.Name(literal: "Keep-Alive"), "timeout=5"), (name, "1"),
            ],
            body: "ab"
        )
        #expect(
            text == """
                HTTP/1.1 200 OK\r
                x-kept: 1\r
                Date: Sun, 06 Nov 1994 08:49:37 GMT\r
                Content-Length: 2\r
                \r\n
                """
        )
    }

    @Test func noFieldCanForgeALine() {
        let text = self.encode(200, [(HTTPField.Name(literal: "Server"), "a\r\nX-Injected: yes\u{0}")])
        #expect(text.contains("\r\nServer: a  X-Injected: yes \r\n"))
    }

    @Test func anUnknownStatusHasAnEmptyReason() {
        #expect(self.encode(599).hasPrefix("HTTP/1.1 599 \r\n"))
    }
}
