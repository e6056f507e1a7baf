/// Writes the heads of requests (RFC 9112, section 3): framing and connection fields are the encoder's business, all
/// others the caller's.
public enum HTTP1RequestEncoder {
    // More is no request of ours, and few servers would take it.
    private static let maximumHeadBytes = 64 << 10
    private static let maximumMethodBytes = 32

    /// Writes a head to the end of a buffer.
    ///
    /// Fields of the caller that speak of framing, of the connection or of content codings are left out.
    ///
    /// - Parameters:
    ///   - host: Host, and the port where it is not the scheme's own, checked by the caller.
    ///   - target: Path and query, percent-encoded and checked by the caller; a missing path is added.
    ///   - contentLength: In bytes. Of none, only methods that expect content say so (RFC 9110, section 8.6).
    /// - Returns: False when the method is no token, a field is malformed or the head would be too large; the buffer is
    ///   then of no use.
    public static func encodeHead(
        of method: HTTPMethod,
        host: Substring,
        target: Substring,
        fields: HTTPFields,
        contentLength: Int,
        into buffer: inout [UInt8]
    ) -> Bool {
        let start = buffer.count
        guard self.isSendable(method), fields.isWellFormed else { return false }
        buffer.append(contentsOf: method.token.utf8)
        buffer.append(ASCII.space)
        if target.utf8.first != ASCII.slash { buffer.append(ASCII.slash) }
        buffer.append(contentsOf: target.utf8)
        ASCII.append(" HTTP/1.1\r\nHost: ", to: &buffer)
        buffer.append(contentsOf: host.utf8)
        ASCII.append("\r\n", to: &buffer)
        if contentLength > 0 || self.expectsContent(method) {
            ASCII.append("Content-Length: ", to: &buffer)
            ASCII.append(decimal: contentLength, to: &buffer)
            ASCII.append("\r\n", to: &buffer)
        }
        fields.encode(into: &buffer, leavingOut: self.isOwnField)
        ASCII.append("\r\n", to: &buffer)
        return buffer.count - start <= self.maximumHeadBytes
    }

    private static func isSendable(_ method: HTTPMethod) -> Bool {
        guard case .other(let token) = method else { return true }
        return (1...self.maximumMethodBytes).contains(token.utf8.count) && token.utf8.allSatisfy(HTTPToken.isTokenByte)
    }

    private static func expectsContent(_ method: HTTPMethod) -> Bool {
        switch method {
        case .post, .put, .patch: true
        case .get, .head, .delete, .options, .other: false
        }
    }

    private static func isOwnField(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = name.baseAddress else { return false }
        return switch name.count {
        case 2: HTTP1HeadScanner.equals(base, "te")
        case 4: HTTP1HeadScanner.equals(base, "host")
        case 6: HTTP1HeadScanner.equals(base, "expect")
        case 7: HTTP1HeadScanner.equals(base, "trailer") || HTTP1HeadScanner.equals(base, "upgrade")
        case 10: HTTP1HeadScanner.equals(base, "connection") || HTTP1HeadScanner.equals(base, "keep-alive")
        case 14: HTTP1HeadScanner.equals(base, "content-length")
        // A coded answer could not be replayed to whoever did not ask for it.
        case 15: HTTP1HeadScanner.equals(base, "accept-encoding")
        case 16: HTTP1HeadScanner.equals(base, "proxy-connection")
        case 17: HTTP1HeadScanner.equals(base, "transfer-encoding")
        default: false
        }
    }
}
