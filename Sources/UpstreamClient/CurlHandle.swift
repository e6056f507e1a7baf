internal import CCurl
internal import HTTPWire

/// Owns an easy handle and the memory that libcurl only points at: the error text and the list of header lines.
///
/// Confined to the loop of its multi handle. It is reset before each use, which keeps nothing of one request for the
/// next (connections belong to the multi handle and stay).
final class CurlHandle {
    /// The easy handle.
    let raw: UnsafeMutableRawPointer

    private static let maximumHeaderBytes = 64 << 10
    private static let maximumHeaders = 128

    private let errorText: UnsafeMutablePointer<CChar>
    private var headerBytes: UnsafeMutablePointer<UInt8>
    private var headerCapacity: Int
    private let headerNodes: UnsafeMutablePointer<curl_slist>
    private var headerCount = 0

    /// Makes a handle, or nil when there is no memory for one.
    init?() {
        guard let raw = curl_easy_init() else { return nil }
        self.raw = raw
        self.errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        self.headerCapacity = 2048
        self.headerBytes = .allocate(capacity: self.headerCapacity)
        self.headerNodes = .allocate(capacity: CurlHandle.maximumHeaders)
        self.reset()
    }

    deinit {
        curl_easy_cleanup(self.raw)
        self.errorText.deallocate()
        self.headerBytes.deallocate()
        self.headerNodes.deallocate()
    }

    /// Forgets all options.
    func reset() {
        curl_easy_reset(self.raw)
        self.hasAllOptions = true
        self.errorText[0] = 0
        self.set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(self.errorText))
    }

    // MARK: - Options

    /// Whether all options were taken since the last reset; without one of them nothing may be sent.
    private(set) var hasAllOptions = true

    func set(_ option: CURLoption, _ value: Int) {
        self.check(ccurl_set_long(self.raw, option, value))
    }

    func set(_ option: CURLoption, offset value: Int) {
        self.check(ccurl_set_offset(self.raw, option, curl_off_t(value)))
    }

    func set(_ option: CURLoption, _ value: String?) {
        guard let value else { return self.check(ccurl_set_string(self.raw, option, nil)) }
        // Lent and not converted: a conversion would be a copy.
        self.check(value.withCString { ccurl_set_string(self.raw, option, $0) })
    }

    func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) {
        self.check(ccurl_set_pointer(self.raw, option, value))
    }

    private func check(_ code: CURLcode) {
        if code != CURLE_OK { self.hasAllOptions = false }
    }

    // MARK: - Header lines

    /// Names whose lines are the transport's business.
    private static let managedNames: [StaticString] = [
        "host", "content-length", "transfer-encoding", "connection", "keep-alive", "proxy-connection", "expect", "te",
        "trailer", "upgrade", "accept-encoding",
    ]

    /// Sets the header lines of a request.
    ///
    /// False when they are too many or too long, or hold a control character.
    ///
    /// - Parameter scratch: Memory to write the lines to; its content is lost.
    func setHeaders(_ fields: HTTPFields, hasBody: Bool, scratch: inout [UInt8]) -> Bool {
        scratch.removeAll(keepingCapacity: true)
        fields.encode(into: &scratch)
        // Room for an end of text behind each line, and for what is added below.
        guard scratch.count <= CurlHandle.maximumHeaderBytes, fields.count <= CurlHandle.maximumHeaders - 3 else {
            return false
        }
        self.reserve(scratch.count + 64)
        self.headerCount = 0
        var used = 0
        var hasType = false
        var hasAccept = false
        var lines = 0
        let isValid = scratch.withUnsafeBufferPointer { bytes in
            var start = 0
            while start < bytes.count {
                var end = start
                while end < bytes.count, bytes[end] >= 0x20 || bytes[end] == 0x09 { end += 1 }
                guard end + 1 < bytes.count, bytes[end] == 0x0D, bytes[end + 1] == 0x0A else { return false }
                lines += 1
                let line = bytes[start..<end]
                start = end + 2
                if CurlHandle.managedNames.contains(where: { CurlHandle.isLine(line, of: $0) }) { continue }
                hasType = hasType || CurlHandle.isLine(line, of: "content-type")
                hasAccept = hasAccept || CurlHandle.isLine(line, of: "accept")
                self.append(line, used: &used)
            }
            return true
        }
        // Fields whose bytes make more or fewer lines than there are fields were not made by us.
        guard isValid, lines == fields.count else { return false }
        // A line without value takes out what libcurl would add.
        if !hasAccept { self.append("Accept:", used: &used) }
        if hasBody { self.append("Expect:", used: &used) }
        if hasBody, !hasType { self.append("Content-Type:", used: &used) }
        guard self.headerCount > 0 else { return true }
        self.headerNodes[self.headerCount - 1].next = nil
        self.check(ccurl_set_headers(self.raw, self.headerNodes))
        return true
    }

    private func reserve(_ count: Int) {
        // A long list is not kept for the short ones that follow.
        guard count > self.headerCapacity || (self.headerCapacity > 16 << 10 && count < 4096) else { return }
        self.headerBytes.deallocate()
        self.headerCapacity = max(2048, count)
        self.headerBytes = .allocate(capacity: self.headerCapacity)
    }

    private func append(_ line: Slice<UnsafeBufferPointer<UInt8>>, used: inout Int) {
        let text = self.headerBytes + used
        guard let start = line.base.baseAddress else { return }
        text.update(from: start + line.startIndex, count: line.count)
        text[line.count] = 0
        if let colon = line.firstIndex(of: UInt8(ascii: ":")), line[(colon + 1)...].allSatisfy({ $0 <= 0x20 }) {
            // A field without a value: libcurl takes a semicolon for that, and a colon for "no such line".
            text[colon - line.startIndex] = UInt8(ascii: ";")
            text[colon - line.startIndex + 1] = 0
        }
        self.link(text)
        used += line.count + 1
    }

    private func append(_ line: StaticString, used: inout Int) {
        let text = self.headerBytes + used
        text.update(from: line.utf8Start, count: line.utf8CodeUnitCount)
        text[line.utf8CodeUnitCount] = 0
        self.link(text)
        used += line.utf8CodeUnitCount + 1
    }

    private func link(_ text: UnsafeMutablePointer<UInt8>) {
        let data = UnsafeMutableRawPointer(text).assumingMemoryBound(to: CChar.self)
        let node = self.headerNodes + self.headerCount
        node.initialize(to: curl_slist(data: data, next: node + 1))
        self.headerCount += 1
    }

    private static func isLine(_ line: Slice<UnsafeBufferPointer<UInt8>>, of name: StaticString) -> Bool {
        let count = name.utf8CodeUnitCount
        return line.count > count && line[line.startIndex + count] == UInt8(ascii: ":")
            && HTTPToken.equals(line.prefix(count), name)
    }

    /// Lets the connection of the running transfer close behind it if TLS holds bytes of it that nobody has read.
    ///
    /// libcurl reads the last record only as far as Content-Length says; the rest stays where no look at the socket
    /// finds it.
    func forbidReuseIfUnread() {
        guard ccurl_tls_has_unread(self.raw) else { return }
        self.set(CURLOPT_FORBID_REUSE, 1)
    }

    /// Lets libcurl call the progress callback from now on.
    func reportProgress() {
        self.set(CURLOPT_NOPROGRESS, 0)
    }

    /// Whether the platform has ended the running transfer's TLS connection in order.
    var hasOrderlyEnd: Bool {
        ccurl_tls_has_ended(self.raw)
    }

    // MARK: - What became of the transfer

    /// The facts of a transfer that ended, or is about to be given up.
    func end(_ code: CURLcode) -> TransferStateMachine.End {
        let detail = self.detail(of: code)
        var connections = 0
        ccurl_get_long(self.raw, CURLINFO_NUM_CONNECTS, &connections)
        var head = 0
        ccurl_get_long(self.raw, CURLINFO_REQUEST_SIZE, &head)
        return TransferStateMachine.End(
            cause: CurlResult.cause(of: code.rawValue, detail: detail),
            detail: detail,
            uploaded: self.offset(CURLINFO_SIZE_UPLOAD_T),
            headSent: head,
            elapsed: .microseconds(self.offset(CURLINFO_TOTAL_TIME_T)),
            isReused: connections == 0
        )
    }

    private func offset(_ info: CURLINFO) -> Int {
        var value: curl_off_t = 0
        ccurl_get_offset(self.raw, info, &value)
        return Int(value)
    }

    /// libcurl's words for a failure: printable ASCII, at most 200 characters.
    private func detail(of code: CURLcode) -> String {
        let text = self.errorText[0] != 0 ? String(cString: self.errorText) : String(cString: curl_easy_strerror(code))
        let bytes = text.utf8.prefix(200).map { $0 >= 0x20 && $0 < 0x7F ? $0 : UInt8(ascii: "?") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
