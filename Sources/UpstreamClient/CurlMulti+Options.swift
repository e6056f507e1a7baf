internal import CCurl
internal import HTTPWire

extension CurlMulti {
    // libcurl's default; more saves calls for large bodies, and costs a fresh mapping where a small one comes.
    private static let uploadBuffer = 64 << 10
    private static let largeUploadBuffer = 256 << 10
    private static let receiveBuffer = 32 << 10
    private static let loopbackHosts = "localhost,127.0.0.0/8,::1"

    /// Sets every option of an exchange on a handle that was reset.
    ///
    /// False when the request cannot be sent.
    func prepare(_ handle: CurlHandle, for transfer: Transfer, scratch: inout [UInt8]) -> Bool {
        let request = transfer.request
        handle.set(CURLOPT_PRIVATE, transfer.pointer)
        handle.set(CURLOPT_URL, request.url)
        guard self.setMethod(handle, transfer),
            handle.setHeaders(request.fields, hasBody: transfer.reader.count > 0, scratch: &scratch)
        else { return false }
        self.setConnection(handle, isSecure: transfer.isSecure, timeout: request.timeout)
        handle.set(CURLOPT_MAXAGE_CONN, max(1, Int(self.configuration.idleTimeout.components.seconds)))
        handle.set(CURLOPT_BUFFERSIZE, CurlMulti.receiveBuffer)
        self.setCallbacks(handle, transfer)
        return handle.hasAllOptions
    }

    private func setMethod(_ handle: CurlHandle, _ transfer: Transfer) -> Bool {
        let count = transfer.reader.count
        switch transfer.request.method {
        case .get where count == 0:
            handle.set(CURLOPT_HTTPGET, 1)
            return true
        case .head:
            handle.set(CURLOPT_NOBODY, 1)
            return count == 0
        case .post, .put, .patch:
            self.setBody(handle, count)
        default:
            if count > 0 { self.setBody(handle, count) } else { handle.set(CURLOPT_HTTPGET, 1) }
        }
        if transfer.request.method == .post { return true }
        let token = transfer.request.method.token
        guard !token.isEmpty, token.utf8.count <= 32, token.utf8.allSatisfy(HTTPToken.isTokenByte) else {
            return false
        }
        handle.set(CURLOPT_CUSTOMREQUEST, token)
        return true
    }

    /// The content is read by callback and cannot be rewound, so that libcurl never sends it twice.
    ///
    /// POSTFIELDS would let it: a reused connection that dies before the first byte of the answer makes libcurl repeat
    /// the request.
    private func setBody(_ handle: CurlHandle, _ count: Int) {
        handle.set(CURLOPT_POST, 1)
        handle.set(CURLOPT_POSTFIELDSIZE_LARGE, offset: count)
        handle.set(
            CURLOPT_UPLOAD_BUFFERSIZE,
            count > CurlMulti.uploadBuffer ? CurlMulti.largeUploadBuffer : CurlMulti.uploadBuffer
        )
    }

    /// Sets what concerns a connection, whoever uses it.
    func setConnection(_ handle: CurlHandle, isSecure: Bool, timeout: Duration) {
        handle.set(CURLOPT_PROTOCOLS_STR, isSecure ? "https" : "http")
        handle.set(CURLOPT_NOSIGNAL, 1)
        handle.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        handle.set(CURLOPT_HTTP09_ALLOWED, 0)
        handle.set(CURLOPT_FOLLOWLOCATION, 0)
        handle.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        handle.set(CURLOPT_TCP_NODELAY, 1)
        // A platform may hold its answer for half a minute; routers on the way forget silent connections.
        handle.set(CURLOPT_TCP_KEEPALIVE, 1)
        handle.set(CURLOPT_TCP_KEEPIDLE, 30)
        handle.set(CURLOPT_TCP_KEEPINTVL, 15)
        handle.set(CURLOPT_TIMEOUT_MS, timeout.milliseconds)
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, min(self.configuration.connectTimeout, timeout).milliseconds)
        // Else giving up a name that does not resolve would wait for the resolver's thread, and the loop with it.
        handle.set(CURLOPT_QUICK_EXIT, 1)
        if let proxy = self.configuration.proxy {
            handle.set(CURLOPT_PROXY, proxy)
            handle.set(CURLOPT_NOPROXY, CurlMulti.loopbackHosts)
            handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        } else {
            // Empty, not absent: the environment has no say.
            handle.set(CURLOPT_PROXY, "")
        }
        guard isSecure else { return }
        handle.set(CURLOPT_SSL_VERIFYPEER, 1)
        handle.set(CURLOPT_SSL_VERIFYHOST, 2)
        handle.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        handle.set(CURLOPT_CAINFO, self.authorityFile)
        // A private authority replaces the system's, and libcurl keeps the parsed file for a day only without a path.
        handle.set(CURLOPT_CAPATH, nil as String?)
    }

    private func setCallbacks(_ handle: CurlHandle, _ transfer: Transfer) {
        let context = transfer.pointer
        handle.set(CURLOPT_READDATA, context)
        ccurl_set_read_callback(handle.raw) { memory, size, count, context in
            guard let memory, let transfer = Transfer.of(context) else { return Int(CURL_READFUNC_ABORT) }
            let memoryBytes = UnsafeMutableRawBufferPointer(start: memory, count: size * count)
            return transfer.read(into: memoryBytes) ?? Int(CURL_READFUNC_ABORT)
        }
        ccurl_set_seek_callback(handle.raw) { _, _, _ in CURL_SEEKFUNC_FAIL }
        handle.set(CURLOPT_HEADERDATA, context)
        ccurl_set_write_callback(handle.raw, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let bytes, let transfer = Transfer.of(context) else { return 0 }
            // Any other number than that of the bytes stops the transfer; a line is never empty.
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return transfer.takeHeadLine(line) ? line.count : 0
        }
        handle.set(CURLOPT_WRITEDATA, context)
        ccurl_set_write_callback(handle.raw, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let bytes, let transfer = Transfer.of(context) else { return 0 }
            let content = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return switch transfer.takeBody(content) {
            case .taken: content.count
            case .held: Int(CURL_WRITEFUNC_PAUSE)
            case .stop: 0
            }
        }
        handle.set(CURLOPT_PREREQDATA, context)
        ccurl_set_prerequest_callback(handle.raw) { context, _, _, remotePort, localPort in
            let mayStart = Transfer.of(context)?.start(localPort: localPort, remotePort: remotePort) ?? false
            return Int32(mayStart ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT)
        }
        // Off until an answer needs it.
        handle.set(CURLOPT_XFERINFODATA, context)
        ccurl_set_progress_callback(handle.raw) { context, _, _, _, _ in
            Transfer.of(context)?.progress()
            return 0
        }
        // A socket may outlive its exchange, so closing it goes to the multi handle; opening needs the exchange.
        handle.set(CURLOPT_OPENSOCKETDATA, context)
        ccurl_set_open_socket_callback(handle.raw) { context, _, address in
            guard let address, let transfer = Transfer.of(context) else { return CURL_SOCKET_BAD }
            return transfer.multi.open(address, for: transfer)
        }
        self.setClosing(handle)
    }

    /// Lets sockets be closed by ``close(_:)``.
    func setClosing(_ handle: CurlHandle) {
        handle.set(CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(self).toOpaque())
        ccurl_set_close_socket_callback(handle.raw) { context, socket in
            CurlMulti.of(context)?.close(socket) ?? -1
        }
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, within what libcurl takes: zero would mean no limit at all to it.
    var milliseconds: Int {
        let (seconds, attoseconds) = self.components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        let whole = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
        return max(1, attoseconds % 1_000_000_000_000_000 > 0 ? whole + 1 : whole)
    }
}
