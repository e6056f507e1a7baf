/// Gives the parts of a head their meaning: target, host, framing, connection, expectation.
enum HTTP1HeadReader {
    /// What a request line says.
    struct RequestLine {
        let method: HTTPMethod
        let target: HTTP1RequestTarget
        let version: HTTPRequestHead.Version
    }

    /// Reads the request line alone, as soon as it is there.
    static func requestLine(
        _ base: UnsafePointer<UInt8>,
        _ scanner: HTTP1HeadScanner
    ) throws(HTTPRejection) -> RequestLine {
        guard ASCII.isDigit(scanner.major), ASCII.isDigit(scanner.minor) else { throw .malformedVersion }
        guard scanner.major == UInt8(ascii: "1") else {
            throw HTTPRejection(status: HTTPStatus(505), message: "Only HTTP/1.1 and HTTP/1.0 are spoken here.")
        }
        let method = self.method(base, scanner)
        return RequestLine(
            method: method,
            target: try HTTP1RequestTarget(self.target(base, scanner), method: method),
            version: scanner.minor == UInt8(ascii: "0") ? .http10 : .http11
        )
    }

    /// Makes the head from its lines.
    ///
    /// - Parameters:
    ///   - base: The bytes that the scanner saw.
    ///   - line: What ``requestLine(_:_:)`` read.
    ///   - storage: The same bytes, for the fields to keep.
    static func head(
        _ base: UnsafePointer<UInt8>,
        _ scanner: HTTP1HeadScanner,
        _ line: RequestLine,
        storage: [UInt8],
        limits: HTTP1Limits
    ) throws(HTTPRejection) -> HTTPRequestHead {
        let (method, parts, version) = (line.method, line.target, line.version)
        let targetBytes = self.target(base, scanner)
        let host = try self.host(base, scanner, version)
        let framing = try self.framing(base, scanner, version, limits)
        let expectsContinue = try self.expectation(base, scanner, version) && framing != .none && framing != .length(0)

        let target = String(decoding: targetBytes, as: UTF8.self)
        let path: String
        if parts.path.count == targetBytes.count {
            path = target
        } else if parts.path.isEmpty, parts.authority != nil, method != .other("CONNECT") {
            // An empty path is "/", and for OPTIONS the server as a whole (RFC 9112, section 3.2.4).
            path = method == .options && parts.query == nil ? "*" : "/"
        } else {
            path = String(decoding: targetBytes[parts.path], as: UTF8.self)
        }
        return HTTPRequestHead(
            method: method,
            target: target,
            path: path,
            query: parts.query.map { String(decoding: targetBytes[$0], as: UTF8.self) },
            // The authority of an absolute target goes before the Host field (RFC 9112, section 3.2.2).
            authority: parts.authority.map { String(decoding: targetBytes[$0], as: UTF8.self) } ?? host,
            version: version,
            fields: HTTPFields(storage: storage, entries: scanner.entries),
            framing: framing,
            isPersistent: self.isPersistent(base, scanner, version),
            expectsContinue: expectsContinue
        )
    }

    private static func method(_ base: UnsafePointer<UInt8>, _ scanner: HTTP1HeadScanner) -> HTTPMethod {
        // The two methods of nearly all requests are known without a string.
        if scanner.method.count == 3, base[0] == 0x47, base[1] == 0x45, base[2] == 0x54 { return .get }
        if scanner.method.count == 4, base[0] == 0x50, base[1] == 0x4F, base[2] == 0x53, base[3] == 0x54 {
            return .post
        }
        return HTTPMethod(
            String(decoding: UnsafeBufferPointer(start: base, count: scanner.method.count), as: UTF8.self)
        )
    }

    private static func target(
        _ base: UnsafePointer<UInt8>,
        _ scanner: HTTP1HeadScanner
    ) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: base + scanner.target.lowerBound, count: scanner.target.count)
    }

    // MARK: Host (RFC 9112, section 3.2)

    private static func host(
        _ base: UnsafePointer<UInt8>,
        _ scanner: HTTP1HeadScanner,
        _ version: HTTPRequestHead.Version
    ) throws(HTTPRejection) -> String? {
        guard scanner.known.contains(.host) else {
            guard version == .http10 else {
                throw .malformed("The Host field is missing.")
            }
            return nil
        }
        var value: UnsafeBufferPointer<UInt8>?
        for entry in scanner.entries where self.isNamed(base, entry, "host") {
            guard value == nil else { throw .malformed("There is more than one Host field.") }
            value = self.value(base, entry)
        }
        guard let value, HTTP1Authority.isValid(value) else { throw .malformedHost }
        return String(decoding: value, as: UTF8.self)
    }

    // MARK: Framing (RFC 9112, sections 6.1 to 6.3)

    private static func framing(
        _ base: UnsafePointer<UInt8>,
        _ scanner: HTTP1HeadScanner,
        _ version: HTTPRequestHead.Version,
        _ limits: HTTP1Limits
    ) throws(HTTPRejection) -> HTTPRequestHead.Framing {
        if scanner.known.contains(.transferEncoding) {
            guard !scanner.known.contains(.contentLength) else {
                throw .malformed("Transfer-Encoding and Content-Length contradict each other; send one of them.")
            }
            guard version == .http11 else {
                throw .malformed("HTTP/1.0 knows no Transfer-Encoding.")
            }
            try self.checkCodings(base, scanner)
            return .chunked
        }
        guard scanner.known.contains(.contentLength) else { return .none }
        var length: Int?
        for entry in scanner.entries where self.isNamed(base, entry, "content-length") {
            guard length == nil else { throw .malformed("There is more than one Content-Length field.") }
            length = try self.contentLength(self.value(base, entry), limits)
        }
        return .length(length ?? 0)
    }

    private static func contentLength(
        _ value: UnsafeBufferPointer<UInt8>,
        _ limits: HTTP1Limits
    ) throws(HTTPRejection) -> Int {
        guard !value.isEmpty, value.allSatisfy(ASCII.isDigit) else {
            throw .malformed("The Content-Length is not a single decimal number.")
        }
        var length = 0
        for byte in value {
            length = length * 10 + Int(byte - 0x30)
            guard length <= limits.contentBytes else {
                throw HTTPRejection(status: HTTPStatus(413), message: "The declared content is too large.")
            }
        }
        return length
    }

    /// Accepts chunked once and alone: no other coding is known here.
    private static func checkCodings(
        _ base: UnsafePointer<UInt8>,
        _ scanner: HTTP1HeadScanner
    ) throws(HTTPRejection) {
        let unclear = HTTPRejection.malformed("Transfer-Encoding must be chunked, once and last.")
        var chunkedIsLast = false
        var hasOther = false
        for entry in scanner.entries where self.isNamed(base, entry, "transfer-encoding") {
            var hasMember = false
            for member in self.members(self.value(base, entry)) {
                guard !chunkedIsLast, member.allSatisfy(ByteSet.token.contains) else { throw unclear }
                hasMember = true
                if HTTPToken.equals(member, "chunked") { chunkedIsLast = true } else { hasOther = true }
            }
            guard hasMember else { throw unclear }
        }
        guard chunkedIsLast else { throw unclear }
        guard !hasOther else {
            throw HTTPRejection(status: HTTPStatus(501), message: "No transfer coding but chunked is known here.")
        }
    }

    // MARK: Connection and Expect

    private static func isPersistent(
        _ base: UnsafePointer<UInt8>,
        _ scanner: HTTP1HeadScanner,
        _ version: HTTPRequestHead.Version
    ) -> Bool {
        guard scanner.known.contains(.connection) else { return version == .http11 }
        var saysKeepAlive = false
        for entry in scanner.entries where self.isNamed(base, entry, "connection") {
            for member in self.members(self.value(base, entry)) {
                if HTTPToken.equals(member, "close") { return false }
                if HTTPToken.equals(member, "keep-alive") { saysKeepAlive = true }
            }
        }
        return version == .http11 || saysKeepAlive
    }

    private static func expectation(
        _ base: UnsafePointer<UInt8>,
        _ scanner: HTTP1HeadScanner,
        _ version: HTTPRequestHead.Version
    ) throws(HTTPRejection) -> Bool {
        guard scanner.known.contains(.expect) else { return false }
        var expectsContinue = false
        for entry in scanner.entries where self.isNamed(base, entry, "expect") {
            for member in self.members(self.value(base, entry)) {
                guard HTTPToken.equals(member, "100-continue") else {
                    throw HTTPRejection(status: HTTPStatus(417), message: "No expectation but 100-continue can be met.")
                }
                expectsContinue = true
            }
        }
        // A client of HTTP/1.0 knows no interim answer (RFC 9110, section 10.1.1).
        return expectsContinue && version == .http11
    }

    // MARK: Bytes

    private static func isNamed(
        _ base: UnsafePointer<UInt8>,
        _ entry: HTTPFields.Entry,
        _ name: StaticString
    ) -> Bool {
        entry.name.count == name.utf8CodeUnitCount && HTTP1HeadScanner.equals(base + entry.name.lowerBound, name)
    }

    private static func value(
        _ base: UnsafePointer<UInt8>,
        _ entry: HTTPFields.Entry
    ) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: base + entry.value.lowerBound, count: entry.value.count)
    }

    /// The members of a comma-separated list, without white space around them and without empty ones
    /// (RFC 9110, section 5.6.1).
    static func members(_ value: UnsafeBufferPointer<UInt8>) -> [UnsafeBufferPointer<UInt8>] {
        var result: [UnsafeBufferPointer<UInt8>] = []
        var start = 0
        while start <= value.count {
            var end = value[start...].firstIndex(of: ASCII.comma) ?? value.count
            let next = end + 1
            while start < end, ASCII.isBlank(value[start]) { start += 1 }
            while end > start, ASCII.isBlank(value[end - 1]) { end -= 1 }
            if start < end { result.append(UnsafeBufferPointer(rebasing: value[start..<end])) }
            start = next
        }
        return result
    }
}
