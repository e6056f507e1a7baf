internal import CCurl
internal import HTTPWire

extension CurlMulti {
    private static let loopbackHosts = "localhost,127.0.0.0/8,::1"

    /// Sets what concerns a connection.
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
