/// Writes the heads of answers (RFC 9112, section 4; RFC 9110, sections 6.6.1 and 8.6).
public enum HTTP1ResponseEncoder {
    /// Writes the head of an answer to the end of a buffer.
    ///
    /// `Content-Length`, `Transfer-Encoding`, `Date` and `Connection` come from here; a final answer's own fields of
    /// these names are left out. A stream of unknown length is announced as chunked, or, to a client of HTTP/1.0, ends
    /// with its connection.
    ///
    /// - Parameters:
    ///   - response: The answer. For HEAD it holds the content that GET would get, which is announced and not sent.
    ///   - method: The method of the request.
    ///   - version: The version of the request.
    ///   - keepAlive: Whether the connection stays open behind the answer.
    ///   - date: The time of the answer as ``HTTPDate`` writes it.
    ///   - buffer: Where the head goes.
    public static func encodeHead(
        of response: HTTPResponse,
        to method: HTTPMethod,
        version: HTTPRequestHead.Version,
        keepAlive: Bool,
        date: String,
        into buffer: inout [UInt8]
    ) {
        let code = response.status.code
        ASCII.append("HTTP/1.1 ", to: &buffer)
        ASCII.append(decimal: code, to: &buffer)
        buffer.append(ASCII.space)
        buffer.append(contentsOf: response.status.reason.utf8)
        ASCII.append("\r\n", to: &buffer)
        guard code >= 200 else {
            response.fields.encode(into: &buffer)
            ASCII.append("\r\n", to: &buffer)
            return
        }
        response.fields.encode(into: &buffer, leavingOut: self.isOwnField)
        ASCII.append("Date: ", to: &buffer)
        buffer.append(contentsOf: date.utf8)
        // 204 has no content to measure; what 304 would have to say is the length of another answer.
        if code != 204, code != 304 {
            if self.isChunked(response, to: version) {
                ASCII.append("\r\nTransfer-Encoding: chunked", to: &buffer)
            } else if let length = response.stream.map({ $0.length }) ?? response.body.count {
                ASCII.append("\r\nContent-Length: ", to: &buffer)
                ASCII.append(decimal: length, to: &buffer)
            }
        }
        if !keepAlive {
            ASCII.append("\r\nConnection: close", to: &buffer)
        } else if version == .http10 {
            ASCII.append("\r\nConnection: keep-alive", to: &buffer)
        }
        ASCII.append("\r\n\r\n", to: &buffer)
    }

    /// Writes the interim answer 100 to the end of a buffer.
    public static func encodeContinue(into buffer: inout [UInt8]) {
        ASCII.append("HTTP/1.1 100 Continue\r\n\r\n", to: &buffer)
    }

    /// Whether the content of an answer is sent behind its head (RFC 9112, section 6.3).
    public static func sendsContent(of response: HTTPResponse, to method: HTTPMethod) -> Bool {
        let code = response.status.code
        return method != .head && code >= 200 && code != 204 && code != 304
            && (response.stream != nil || !response.body.isEmpty)
    }

    /// Whether the content of an answer is sent in chunks (RFC 9112, section 7.1).
    public static func isChunked(_ response: HTTPResponse, to version: HTTPRequestHead.Version) -> Bool {
        guard let stream = response.stream else { return false }
        return stream.length == nil && version == .http11
    }

    /// Writes a piece of chunked content to the end of a buffer; none of it for the end.
    public static func encodeChunk(_ piece: [UInt8], into buffer: inout [UInt8]) {
        buffer.append(contentsOf: String(piece.count, radix: 16).utf8)
        ASCII.append("\r\n", to: &buffer)
        buffer.append(contentsOf: piece)
        ASCII.append("\r\n", to: &buffer)
    }

    private static func isOwnField(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = name.baseAddress else { return false }
        return switch name.count {
        case 4: HTTP1HeadScanner.equals(base, "date")
        case 10: HTTP1HeadScanner.equals(base, "connection") || HTTP1HeadScanner.equals(base, "keep-alive")
        case 14: HTTP1HeadScanner.equals(base, "content-length")
        case 17: HTTP1HeadScanner.equals(base, "transfer-encoding")
        default: false
        }
    }
}
