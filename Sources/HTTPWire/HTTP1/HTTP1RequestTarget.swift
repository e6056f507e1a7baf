/// The four forms of a request target (RFC 9112, section 3.2), as ranges of the target.
struct HTTP1RequestTarget {
    /// The path; empty for the authority form and for an absolute form without one.
    var path: Range<Int>
    /// The query without its question mark.
    var query: Range<Int>?
    /// The authority of the absolute and the authority form.
    var authority: Range<Int>?

    /// Reads a target.
    ///
    /// - Parameters:
    ///   - bytes: Visible ASCII characters, at least one.
    ///   - method: The method token, which decides about the allowed forms.
    init(_ bytes: UnsafeBufferPointer<UInt8>, method: HTTPMethod) throws(HTTPRejection) {
        if method == .other("CONNECT") {
            guard HTTP1Authority.isValid(bytes, requiresPort: true) else { throw .malformedTarget }
            self.init(path: bytes.count..<bytes.count, query: nil, authority: 0..<bytes.count)
        } else if bytes[0] == ASCII.slash {
            try self.init(bytes, pathFrom: 0, authority: nil)
        } else if bytes.count == 1, bytes[0] == UInt8(ascii: "*") {
            guard method == .options else { throw .malformedTarget }
            self.init(path: 0..<1, query: nil, authority: nil)
        } else {
            let start = try Self.endOfScheme(bytes)
            let end =
                bytes[start...].firstIndex { $0 == ASCII.slash || $0 == ASCII.questionMark || $0 == UInt8(ascii: "#") }
                ?? bytes.count
            guard HTTP1Authority.isValid(UnsafeBufferPointer(rebasing: bytes[start..<end])) else {
                throw .malformedHost
            }
            try self.init(bytes, pathFrom: end, authority: start..<end)
        }
    }

    private init(path: Range<Int>, query: Range<Int>?, authority: Range<Int>?) {
        self.path = path
        self.query = query
        self.authority = authority
    }

    private init(
        _ bytes: UnsafeBufferPointer<UInt8>,
        pathFrom start: Int,
        authority: Range<Int>?
    ) throws(HTTPRejection) {
        let pathEnd = try Self.endOfText(bytes, from: start, isQuery: false)
        self.init(path: start..<pathEnd, query: nil, authority: authority)
        guard pathEnd < bytes.count else { return }
        guard bytes[pathEnd] == ASCII.questionMark else { throw .malformedTarget }
        let queryEnd = try Self.endOfText(bytes, from: pathEnd + 1, isQuery: true)
        guard queryEnd == bytes.count else { throw .malformedTarget }
        self.query = pathEnd + 1..<queryEnd
    }

    /// The offset behind `http://` or `https://`; a TLS terminator in front may pass on the latter.
    private static func endOfScheme(_ bytes: UnsafeBufferPointer<UInt8>) throws(HTTPRejection) -> Int {
        guard let base = bytes.baseAddress, bytes.count > 7, HTTP1HeadScanner.equals(base, "http") else {
            throw .malformedTarget
        }
        let colon = base[4] | 0x20 == UInt8(ascii: "s") ? 5 : 4
        guard base[colon] == ASCII.colon, base[colon + 1] == ASCII.slash, base[colon + 2] == ASCII.slash else {
            throw .malformedTarget
        }
        return colon + 3
    }

    private static func endOfText(
        _ bytes: UnsafeBufferPointer<UInt8>,
        from start: Int,
        isQuery: Bool
    ) throws(HTTPRejection) -> Int {
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if ByteSet.path.contains(byte) || (isQuery && byte == ASCII.questionMark) {
                index += 1
            } else if byte == ASCII.percent {
                guard index + 2 < bytes.count, let high = ASCII.hexValue(bytes[index + 1]),
                    let low = ASCII.hexValue(bytes[index + 2])
                else { throw .malformedTarget }
                // No resource has a NUL in its path, and what handles C strings would see a shorter one.
                guard isQuery || high | low != 0 else { throw .malformedTarget }
                index += 3
            } else {
                break
            }
        }
        return index
    }
}
